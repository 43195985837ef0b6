import type { Principal } from "../../calls/principal.ts";
import { Connection } from "../../server/connection.ts";
import { type Server, stateOf } from "../../server/server.ts";
import { UsageError } from "../../support/usage-error.ts";
import { guardStdout } from "./guard.ts";
import { StdioInput } from "./input.ts";
import { StdioOutput } from "./output.ts";
import { watchParents } from "./parents.ts";

export interface StdioOptions {
  /** A larger message is refused. Default: 16 MiB. */
  readonly maxMessageBytes?: number;
  /** With so many requests in work, another is answered with the error `busy`. Default: 1,000. */
  readonly maxInFlight?: number;
  /** Milliseconds that work in progress gets when the process is told to stop. Default: 5,000. */
  readonly drainTimeout?: number;
  /** Who is at the other end; the operating system has let them start the process. */
  readonly principal?: Principal;
  /** Tell the client what really went wrong. Default: false. */
  readonly exposeErrors?: boolean;
}

const DEFAULTS = { maxMessageBytes: 16 * 1024 * 1024, maxInFlight: 1000, drainTimeout: 5000 };

/** With so many bytes unread, log messages and progress are left out: a handler can write faster than anyone reads. */
const MAX_UNREAD = 4 * 1024 * 1024;

/** How long what is in work may go on after the client has closed stdin. */
const GRACE = 500;
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
const AT_A_TERMINAL =
  "Serving MCP over stdin and stdout, to a client that starts this process. To try it by hand, use `proffer call`, or serve it over HTTP. Ctrl-C ends it.";

let serving = false;

/**
 * Serves over stdin and stdout until the client goes away or the process is told to stop, then ends the process: a
 * server without its client is of no use to anyone, whatever timers are still alive. A promise that is rejected
 * unnoticed is logged and nothing more; an exception that nobody catches lets what is in work finish and ends the
 * process with code 1.
 * @throws {UsageError} if this process serves over stdio already.
 */
export function serveStdio(server: Server, options: StdioOptions = {}): Promise<never> {
  if (serving)
    throw new UsageError(
      "wrong_use",
      "This process serves over stdio already; a second server would mix its messages with the first one's.",
    );
  const service = new StdioService(server, options);
  serving = true;
  service.start();
  return new Promise<never>(() => {});
}

class StdioService {
  readonly #drainTimeout: number;
  readonly #connection: Connection;
  readonly #input: StdioInput;
  readonly #output: StdioOutput;
  #held = false;
  #stopping = false;

  constructor(server: Server, options: StdioOptions) {
    const { maxMessageBytes, maxInFlight, drainTimeout } = { ...DEFAULTS, ...options };
    const state = stateOf(server);
    this.#drainTimeout = drainTimeout;
    this.#input = new StdioInput(maxMessageBytes);
    this.#output = new StdioOutput(guardStdout());
    this.#connection = new Connection(state, {
      send: (wire) => this.#output.send(wire),
      isReading: () => this.#output.unread < MAX_UNREAD,
      principal: options.principal,
      exposeErrors: options.exposeErrors,
      maxInFlight,
    });
  }

  start(): void {
    // Somebody tries it by hand, and would wait for something to happen.
    if (process.stdin.isTTY) console.error(AT_A_TERMINAL);
    process.stdin.on("data", (chunk: Buffer) => this.#receive(chunk));
    process.stdin.once("end", () => this.#inputEnded());
    process.stdin.once("error", () => this.#clientGone());
    process.stdout.on("error", () => this.#clientGone());
    // A log line that cannot be written must not become an exception that is logged.
    process.stderr.on("error", () => {});
    for (const signal of SIGNALS) process.on(signal, () => this.#signalled());
    process.on("unhandledRejection", (reason) => console.error("A promise was rejected and nobody noticed:", reason));
    process.on("uncaughtException", (error) => {
      console.error("An exception was thrown outside any call; the server stops:", error);
      this.#stop(1, this.#drainTimeout);
    });
    // Before the first answer: a client that has it may be gone the next moment, and the parents with it.
    watchParents(() => this.#clientGone());
  }

  #receive(chunk: Buffer): void {
    this.#input.push(chunk);
    this.#output.framing = this.#input.framing;
    this.#work();
  }

  /** Handles what has arrived, as long as the client reads the answers: their number must not grow without bound. */
  #work(): void {
    this.#output.corked = true;
    while (!this.#output.congested) {
      const next = this.#input.next();
      if (next === undefined) break;
      if (typeof next === "string") this.#connection.receive(next);
      else this.#connection.respondError(next);
    }
    // Answers to what arrived together leave together.
    this.#output.corked = false;
    this.#output.prompt = true;
    this.#output.flush();
    if (this.#output.congested) this.#hold();
    else if (this.#input.broken) this.#giveUp();
  }

  /** Reads nothing more until the client has read what it was sent. */
  #hold(): void {
    if (this.#held) return;
    this.#held = true;
    process.stdin.pause();
    this.#output.whenRead(() => {
      this.#held = false;
      this.#work();
      if (!this.#held) process.stdin.resume();
    });
  }

  /** There is no telling where the next message would begin. */
  #giveUp(): void {
    process.stdin.pause();
    this.#stop(1, this.#drainTimeout);
  }

  #inputEnded(): void {
    this.#input.end();
    this.#work();
    this.#abandon();
    this.#stop(0, GRACE);
  }

  /** Nobody is there to read an answer: what is in work may clean up, no more. */
  #clientGone(): void {
    this.#output.close();
    this.#abandon();
    this.#stop(0, GRACE);
  }

  #abandon(): void {
    this.#connection.abort("The client has closed the connection.");
  }

  /** The first signal lets work finish; a second one does not. */
  #signalled(): void {
    if (this.#stopping) process.exit(0);
    this.#stop(0, this.#drainTimeout);
  }

  /** Ends the process when what is in work is answered and written, and at the latest when the limit is over. */
  #stop(code: number, limit: number): void {
    const exit = () => process.exit(code);
    const finish = () => {
      this.#connection.close("The server is shutting down.");
      void this.#output.written().then(exit);
    };
    // Whoever stops for a second reason may be in more of a hurry.
    setTimeout(finish, limit);
    if (this.#stopping) return;
    this.#stopping = true;
    setTimeout(exit, Math.max(limit, this.#drainTimeout));
    void this.#connection.drain().then(finish);
  }
}
