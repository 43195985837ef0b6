import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll } from "vitest";
import type { Link } from "../src/testing/client.ts";
import type { StdioOptions } from "../src/transports/stdio/serve.ts";

/** A machine may be busy; what has not happened after this long will not happen. */
export const PATIENCE = 30_000;

/** The server of `fixtures/stdio-server.ts`, for one file of tests. */
export interface StdioServers {
  /** Makes one file of it, once, and gives its path. */
  bundleServer(): Promise<string>;
  /** Runs it; it is killed after all tests if it still runs then. */
  startServer(options?: StdioOptions): Promise<Program>;
}

/** To be called once by each file of tests: what is started and written is cleared away after them. */
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

/** A process whose pipes we hold. */
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
    // A process that is gone shows by its exit.
    child.stdin.on("error", () => {});
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Sends a message as a line of its own. */
  send(message: object | string): void {
    this.child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
  }

  /** Sends a request without a word about the protocol's revision and gives the answer. */
  request(id: number | string, method: string, params: object = {}): Promise<Answer> {
    const answer = this.answer(id);
    this.send({ jsonrpc: "2.0", id, method, params });
    return answer;
  }

  /** The text that a tool answers with. */
  async call(id: number, name: string, values: object = {}): Promise<string> {
    const { result } = await this.request(id, "tools/call", { name, arguments: values });
    return result?.content[0]?.text ?? "";
  }

  /** The answer to a request, as soon as it is there. */
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

  /** How a test client reaches it. */
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

/** The parts of an answer that tests look at. */
export interface Answer {
  readonly id?: number | string | null;
  readonly result?: { readonly content: readonly { readonly text?: string }[]; readonly isError?: boolean };
  readonly error?: { readonly code: number; readonly message: string };
}
