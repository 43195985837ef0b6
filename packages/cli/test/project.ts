import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { distFile } from "../../proffer/test/dist.ts";

const packages = fileURLToPath(new URL("../../", import.meta.url));

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** The text on stdin. */
  readonly input?: string;
  /** Additional environment variables. */
  readonly env?: Record<string, string>;
}

/** A project outside the repository with the built packages installed. */
export interface Project {
  readonly folder: string;
  path(file: string): string;
  /** Writes a file with these lines. */
  write(file: string, ...lines: string[]): void;
  read(file: string): string;
  /** Runs the command in the project, inside this process. */
  proffer(...args: string[]): Promise<Outcome>;
  /** Runs the command inside this process, with input on stdin or additional environment variables. */
  profferWith(options: RunOptions, ...args: string[]): Promise<Outcome>;
  /**
   * Runs the command as a process and waits for it to exit: for tests of the process itself, or of the author's module,
   * whose output, variables and current directory are those of its process, and which is imported once in each.
   */
  profferProcess(options: RunOptions, ...args: string[]): Outcome;
  /** Starts the command and leaves it running. */
  start(...args: string[]): ChildProcess;
  /** Starts the command with additional environment variables and leaves it running. */
  startWith(options: { env: Record<string, string> }, ...args: string[]): ChildProcess;
  /** Starts a module with Node and leaves it running. */
  startNode(...args: string[]): ChildProcess;
  /** Starts a module with Node and additional environment variables and leaves it running. */
  startNodeWith(options: { env: Record<string, string> }, ...args: string[]): ChildProcess;
  remove(): void;
}

export function createProject(): Project {
  distFile("index.js", "cli");
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "proffer-cli-")));
  const started: ChildProcess[] = [];
  const path = (file: string) => join(folder, file);
  const link = (target: string, name: string) => {
    mkdirSync(dirname(path(`node_modules/${name}`)), { recursive: true });
    symlinkSync(target, path(`node_modules/${name}`), "junction");
  };
  link(join(packages, "proffer"), "proffer");
  link(join(packages, "cli"), "@proffer/cli");
  const homeVariables = { HOME: path("home"), USERPROFILE: path("home") };
  const startNode = (env: Record<string, string>, ...args: string[]) => {
    const options = { cwd: folder, env: { ...process.env, ...env }, stdio: "pipe" } as const;
    const child = spawn(process.execPath, args, options);
    started.push(child);
    return child;
  };

  const project: Project = {
    folder,
    path,
    write(file, ...lines) {
      mkdirSync(dirname(path(file)), { recursive: true });
      writeFileSync(path(file), `${lines.join("\n")}\n`);
    },
    read: (file) => readFileSync(path(file), "utf8"),
    proffer: (...args) => project.profferWith({}, ...args),
    async profferWith({ input = "", env = {} }, ...args) {
      const { run } = (await import(
        pathToFileURL(distFile("index.js", "cli")).href
      )) as typeof import("../src/index.ts");
      const [stdout, stderr] = [new Collector(), new Collector()];
      const status = await run(args, {
        cwd: folder,
        env: { ...process.env, ...homeVariables, ...env },
        stdin: Readable.from([input]),
        stdout,
        stderr,
      });
      return { status, stdout: stdout.text, stderr: stderr.text };
    },
    profferProcess({ input = "", env = {} }, ...args) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [distFile("bin.js"), ...args], {
        cwd: folder,
        encoding: "utf8",
        input,
        timeout: 600_000,
        env: { ...process.env, ...homeVariables, ...env },
      });
      return { status, stdout, stderr };
    },
    start: (...args) => project.startNode(distFile("bin.js"), ...args),
    startWith: ({ env }, ...args) => startNode({ ...homeVariables, ...env }, distFile("bin.js"), ...args),
    startNode: (...args) => startNode({}, ...args),
    startNodeWith: ({ env }, ...args) => startNode(env, ...args),
    remove() {
      for (const child of started) child.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
  project.write("package.json", '{ "name": "sample", "version": "1.2.3", "type": "module" }');
  return project;
}

/** Keeps the text that is written to it. */
class Collector extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString("utf8");
    done();
  }
}

/** Waits until the process has written the text to stderr, and returns its output so far. */
export function waitForStderr(child: ChildProcess, text: string | RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      if (typeof text === "string" ? output.includes(text) : text.test(output)) resolve(output);
    });
    child.once("close", (code) =>
      reject(new Error(`The process exited with ${code} before it printed ${text}:\n${output}`)),
    );
  });
}
