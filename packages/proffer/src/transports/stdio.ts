import { Connection } from "../server/connection.ts";
import type { Principal } from "../server/principal.ts";
import { type Server, stateOf } from "../server/server.ts";
import { UsageError } from "../server/usage-error.ts";
import { guardStdout } from "./stdio-guard.ts";
import { StdioInput } from "./stdio-input.ts";
import { StdioOutput } from "./stdio-output.ts";

export interface StdioOptions {
  /** A larger message is refused. Default: 16 MiB. */
  readonly maxMessageBytes?: number;
  /** With more requests in work, reading stops until some are done. Default: 1,000. */
  readonly maxInFlight?: number;
  /** Milliseconds that work in progress gets when the process is told to stop. Default: 5,000. */
  readonly drainTimeout?: number;
  /** Who is at the other end; the operating system has let them start the process. */
  readonly principal?: Principal;
  /** Tell the client what really went wrong. Default: false. */
  readonly dev?: boolean;
}

const DEFAULTS = { maxMessageBytes: 16 * 1024 * 1024, maxInFlight: 1000, drainTimeout: 5000 };

/** How long what is in work may go on after the client has closed stdin. */
const GRACE = 500;
/** How often to look whether the parent process is still the same. */
const PARENT_CHECK = 2000;
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

let serving = false;

/**
 * Serves over stdin and stdout until the client goes away or the process is told to stop, then ends the process: a
 * server without its client is of no use to anyone, whatever timers are still alive.
 */
export function serveStdio(server: Server, options: StdioOptions = {}): Promise<never> {
  if (serving)
    throw new UsageError(
      "wrong_use",
      "This process serves over stdio already; a second server would mix its messages with the first one's.",
    );
  serving = true;
  return new Promise<never>(() => new StdioService(server, options).start());
}

class StdioService {
  readonly #options: Required<Omit<StdioOptions, "principal">>;
  readonly #connection: Connection;
  readonly #input: StdioInput;
  readonly #output: StdioOutput;
  readonly #stdout = guardStdout();
  #held = false;
  #stopping = false;

  constructor(server: Server, options: StdioOptions) {
    this.#options = { ...DEFAULTS, dev: false, ...options };
    this.#output = new StdioOutput(this.#stdout, () => this.#hold());
    this.#connection = new Connection(stateOf(server), {
      send: (wire) => this.#output.send(wire),
      principal: options.principal,
      dev: options.dev,
    });
    this.#input = new StdioInput(
      {
        framing: (framing) => {
          this.#output.framing = framing;
        },
        message: (text) => this.#connection.receive(text),
        fault: (error) => this.#connection.refuse(error),
        broken: (error) => {
          this.#connection.refuse(error);
          void this.#stop(1);
        },
      },
      this.#options.maxMessageBytes,
    );
  }

  start(): void {
    process.stdin.on("data", (chunk: Buffer) => this.#receive(chunk));
    process.stdin.once("end", () => this.#clientGone());
    process.stdin.once("error", () => this.#clientGone());
    process.stdout.on("error", () => this.#clientGone());
    // A log line that cannot be written must not become an exception that is logged.
    process.stderr.on("error", () => {});
    for (const signal of SIGNALS) process.on(signal, () => this.#signalled());
    process.on("unhandledRejection", (reason) => console.error("A promise was rejected and nobody noticed:", reason));
    process.on("uncaughtException", (error) => {
      console.error("An exception was thrown outside any call; the server stops:", error);
      void this.#stop(1);
    });
    this.#watchParent();
  }

  #receive(chunk: Buffer): void {
    this.#input.push(chunk);
    // Answers to what arrived together leave together.
    this.#output.flush();
    if (this.#connection.inFlight > this.#options.maxInFlight) this.#hold();
  }

  /** Stops reading until the client has read what it was sent, and until there is room for more work. */
  #hold(): void {
    if (this.#held) return;
    this.#held = true;
    process.stdin.pause();
    const release = () => {
      if (this.#connection.inFlight > this.#options.maxInFlight || process.stdout.writableNeedDrain) {
        setTimeout(release, 10);
        return;
      }
      this.#held = false;
      process.stdin.resume();
    };
    setTimeout(release, 1);
  }

  #clientGone(): void {
    this.#input.end();
    this.#output.flush();
    void this.#stop(0, GRACE);
  }

  /** The first signal lets work finish; a second one does not. */
  #signalled(): void {
    if (this.#stopping) process.exit(0);
    void this.#stop(0);
  }

  async #stop(code: number, limit = this.#options.drainTimeout): Promise<never> {
    if (this.#stopping) return new Promise<never>(() => {});
    this.#stopping = true;
    const timeUp = new Promise<void>((resolve) => setTimeout(resolve, limit));
    if (limit === GRACE) this.#connection.abort("The client has closed the connection.");
    await Promise.race([this.#connection.drain(), timeUp]);
    this.#connection.close("The server is shutting down.");
    this.#output.flush();
    await Promise.race([this.#written(), timeUp]);
    process.exit(code);
  }

  /** Resolves when the operating system has taken all that was written. */
  #written(): Promise<void> {
    return new Promise((resolve) => {
      this.#stdout.write("", () => resolve());
    });
  }

  /**
   * A wrapper such as `npm exec` may be killed without closing our stdin. Then this process gets another parent, and
   * nobody is left to read what it writes.
   */
  #watchParent(): void {
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid !== parent) this.#clientGone();
    }, PARENT_CHECK);
    timer.unref();
  }
}
