import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./main.mjs", import.meta.url));
const PRINTED = 4_000;

/** Starts a stdio server for one client; its principal has the client's secret. */
export function startStdio(folder, secret) {
  const child = spawn(process.execPath, [program, "stdio", folder], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...process.env, SOAK_SECRET: secret },
    // Ctrl-C must end the clients first, so that their servers exit as they do without it.
    detached: process.platform !== "win32",
  });
  // Writes to a server that has ended fail; its exit shows it.
  child.stdin.on("error", () => {});
  child.stdout.on("error", () => {});
  return child;
}

/** The arguments of Node for a stdio server, for a wrapper that starts it. */
export function stdioArguments(folder) {
  return [program, "stdio", folder];
}

/** The HTTP server under test. */
export class HttpServer {
  /** Set when the process has ended, which it must not do before `stop()`. */
  exit;
  onExit = () => {};
  port = 0;
  #child;
  #printed = "";
  #stopping = false;

  /** Starts it with these limits; it listens when this resolves. */
  static async start(folder, limits) {
    const server = new HttpServer(
      fork(program, ["http", folder, JSON.stringify(limits)], {
        execArgv: ["--expose-gc"],
        stdio: ["ignore", "ignore", "pipe", "ipc"],
      }),
    );
    const answer = await server.#receive();
    if (answer === undefined) throw new Error(`The server did not start: ${server.#printed}`);
    server.port = answer.port;
    return server;
  }

  constructor(child) {
    this.#child = child;
    child.stderr.setEncoding("utf8").on("data", (text) => {
      this.#printed = (this.#printed + text).slice(-PRINTED);
    });
    child.once("exit", (code, signal) => {
      if (this.#stopping) return;
      this.exit = `${code ?? signal} ${this.#printed}`;
      this.onExit();
    });
  }

  get running() {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Collects garbage and returns the memory, handles and file descriptors; undefined if the process has ended. */
  async measure() {
    if (!this.running) return undefined;
    this.#child.send("measure");
    return this.#receive();
  }

  async stop() {
    this.#stopping = true;
    if (!this.running) return;
    const ended = once(this.#child, "exit");
    this.#child.disconnect();
    await ended;
  }

  async #receive() {
    const stop = new AbortController();
    const { signal } = stop;
    const message = once(this.#child, "message", { signal }).then(([value]) => value);
    const ended = once(this.#child, "exit", { signal }).then(() => undefined);
    try {
      return await Promise.race([message, ended]);
    } finally {
      stop.abort();
      await Promise.allSettled([message, ended]);
    }
  }
}
