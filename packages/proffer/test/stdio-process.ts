import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { StdioOptions } from "proffer/stdio";
import type { Link } from "proffer/testing";
import { afterAll } from "vitest";

/** The server of `fixtures/stdio-server.ts`, for one test file. */
export interface StdioServers {
  /** Bundles it into one file, once, and returns the path. */
  bundleServer(): Promise<string>;
  /** Starts it; it is killed after all tests if it is still running. */
  startServer(options?: StdioOptions): Promise<Program>;
}

/** Call once per test file: processes and files are removed after its tests. */
export function useStdioServers(): StdioServers {
  const folder = mkdtempSync(join(tmpdir(), "proffer-stdio-"));
  const running = new Set<ChildProcess>();
  let bundle: Promise<string> | undefined;

  afterAll(() => {
    for (const child of running) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  function bundleServer(): Promise<string> {
    bundle ??= buildServer(join(folder, "server.mjs"));
    return bundle;
  }

  async function startServer(options: StdioOptions = {}): Promise<Program> {
    const file = await bundleServer();
    const child = spawn(process.execPath, [file], { env: { ...process.env, SERVE_OPTIONS: JSON.stringify(options) } });
    running.add(child);
    child.once("close", () => running.delete(child));
    return new Program(child);
  }

  return { bundleServer, startServer };
}

async function buildServer(outfile: string): Promise<string> {
  await build({
    entryPoints: [fileURLToPath(new URL("./fixtures/stdio-server.ts", import.meta.url))],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "error",
  });
  return outfile;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A running server process and its pipes. */
export class Program {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exit: Promise<Exit>;
  readonly lines: string[] = [];
  #stderr = "";
  #rest = "";
  readonly #listeners = new Set<(line: string) => void>();

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    this.exit = new Promise((resolve) => {
      child.once("close", (code, signal) => resolve({ code, signal }));
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
    child.stdout.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    // `exit` reports a process that has ended.
    child.stdin.on("error", () => {});
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** The output after the last whole line. */
  get rest(): string {
    return this.#rest;
  }

  /** Sends a message as one line. */
  send(message: object | string): void {
    this.child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
  }

  /** Sends a request without a protocol version and returns the response. */
  request(id: number | string, method: string, params: object = {}): Promise<Answer> {
    const answer = this.answer(id);
    this.send({ jsonrpc: "2.0", id, method, params });
    return answer;
  }

  /** Calls a tool and returns the text of its result. */
  async call(id: number, name: string, values: object = {}): Promise<string> {
    const { result } = await this.request(id, "tools/call", { name, arguments: values });
    return result?.content[0]?.text ?? "";
  }

  /** Waits for the response to a request. */
  async answer(id: number | string | null): Promise<Answer> {
    const line = await this.waitForLine((text) => (JSON.parse(text) as Answer).id === id);
    return JSON.parse(line) as Answer;
  }

  waitForLine(test: (line: string) => boolean): Promise<string> {
    const here = this.lines.find(test);
    if (here !== undefined) return Promise.resolve(here);
    return new Promise((resolve, reject) => {
      const look = (line: string) => {
        if (!test(line)) return;
        this.#listeners.delete(look);
        resolve(line);
      };
      this.#listeners.add(look);
      void this.exit.then(({ code }) => reject(new Error(`It ended with ${code} and did not answer:\n${this.stderr}`)));
    });
  }

  /** Connects a testing client to it. */
  readonly link: Link = (receive) => {
    for (const line of this.lines) receive(line);
    this.#listeners.add(receive);
    return {
      send: (text) => this.send(text),
      close: async () => {
        this.child.stdin.end();
        await this.exit;
      },
    };
  };

  #read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      this.lines.push(line);
      for (const listener of [...this.#listeners]) listener(line);
    }
  }
}

/** The parts of a response that tests read. */
export interface Answer {
  readonly id?: number | string | null;
  readonly result?: { readonly content: readonly { readonly text?: string }[]; readonly isError?: boolean };
  readonly error?: { readonly code: number; readonly message: string };
}
