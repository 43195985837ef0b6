import type { Principal } from "../../calls/client.ts";
import { Connection } from "../../server/connection.ts";
import { type Lifespan, lifespanOf, type Release } from "../../server/lifespan.ts";
import { type Server, type ServerState, stateOf } from "../../server/server.ts";
import { room } from "../../support/room.ts";
import { UsageError } from "../../support/usage-error.ts";
import { fs } from "./builtins.ts";
import { exitWhenWritten } from "./exit.ts";
import { StdioInput } from "./input.ts";
import { reserveStdout, StdioOutput } from "./output.ts";

export interface StdioOptions {
  /** A larger message is rejected. Default: 16 MiB. */
  readonly maxMessageBytes?: number;
  /** With this many requests in flight, the next one gets the error `busy`. Default: 1,000. */
  readonly maxInFlight?: number;
  /** Milliseconds for requests in flight and `onStop` when the process receives a signal. Default: 5,000. */
  readonly drainTimeout?: number;
  /** The principal of every call. The operating system has authorized the client that started the process. */
  readonly principal?: Principal;
}

const DEFAULTS = { maxMessageBytes: 16 * 1024 * 1024, maxInFlight: 1000, drainTimeout: 5000 };

/** With this many unread bytes, log messages and progress are dropped: a handler can write faster than a client reads. */
const MAX_UNREAD = 4 * 1024 * 1024;

/** Milliseconds that requests in flight get after the client closed stdin. */
const GRACE = 500;

/** The part of the remaining time that `onStop` may use, so that a late one is logged before the process ends. */
const STOP_SHARE = 0.9;
/** The signals that stop a server. */
export const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
const AT_A_TERMINAL =
  "Serving MCP over stdin and stdout for a client that starts this process. To try it by hand, use `proffer call` or serve over HTTP. Press Ctrl-C to stop.";

let serving = false;

/** The message for an `onStart` that failed; the log has the details. */
export function cannotStart({ message }: Error): string {
  return `The server stops: ${message}`;
}

/**
 * Serves over stdin and stdout until the client disconnects or a signal arrives, then ends the process, whatever timers
 * are still running. An unhandled rejection is only logged; after an uncaught exception, requests in flight are
 * answered and the process ends with code 1, as after an `onStart` that fails.
 * @throws {UsageError} if this process already serves over stdio, or for toolsets that do not fit the items.
 *
 * @example
 * import { serveStdio } from "proffer/stdio";
 *
 * await serveStdio(server);
 */
export function serveStdio(server: Server, options: StdioOptions = {}): Promise<never> {
  const { loading } = stateOf(server).features;
  if (loading !== undefined) return loading.then(() => serveForever(server, options));
  return serveForever(server, options);
}

function serveForever(server: Server, options: StdioOptions): Promise<never> {
  startStdio(server, options);
  return new Promise<never>(() => {});
}

/** Closes the other transports of the process within a time limit. */
export type CloseOthers = (drainTimeout: number) => Promise<void>;

/** Ends the process with an exit code when the requests in flight are answered; prints the reason to stderr. */
export type Stop = (code: number, ...reason: unknown[]) => void;

/** Serves over stdio as one of several transports. The toolsets of the server must be prepared. */
export function startStdio(server: Server, options: StdioOptions, closeOthers?: CloseOthers): Stop {
  if (serving)
    throw new UsageError("This process already serves over stdio; the messages of two servers would mix.", "wrong_use");
  const service = new StdioService(server, options, closeOthers);
  serving = true;
  service.start();
  return (code, ...reason) => service.stop(code, ...reason);
}

class StdioService {
  readonly #server: ServerState;
  readonly #drainTimeout: number;
  readonly #connection: Connection;
  readonly #input: StdioInput;
  readonly #output: StdioOutput;
  readonly #lifespan: Lifespan | undefined;
  readonly #closeOthers: CloseOthers | undefined;
  #release: Release | undefined;
  #others: Promise<void> | undefined;
  #paused = false;
  /** When the process ends at the latest; undefined before it stops. */
  #deadline: number | undefined;

  constructor(server: Server, options: StdioOptions, closeOthers: CloseOthers | undefined) {
    const { maxMessageBytes, maxInFlight, drainTimeout } = { ...DEFAULTS, ...options };
    const state = stateOf(server);
    this.#server = state;
    this.#lifespan = lifespanOf(state);
    this.#closeOthers = closeOthers;
    this.#drainTimeout = drainTimeout;
    this.#input = new StdioInput(maxMessageBytes);
    const output = new StdioOutput(reserveStdout());
    this.#output = output;
    // Requests that arrived together start together: their reads of files must wait while the client does not read.
    room.share({
      get bytes() {
        return output.unread;
      },
    });
    this.#connection = new Connection(state, {
      transport: "stdio",
      send: (wire) => output.send(wire),
      isReading: () => this.#output.unread < MAX_UNREAD,
      principal: options.principal,
      maxInFlight,
    });
    state.overrides.watch?.stdio?.(this.#connection, output);
  }

  start(): void {
    // A person started it by hand and would wait for output.
    if (process.stdin.isTTY) console.error(AT_A_TERMINAL);
    process.stdin.on("data", (chunk: Buffer) => this.#receive(chunk));
    process.stdin.once("end", () => this.#inputEnded());
    process.stdin.once("error", () => this.#clientGone());
    process.stdout.on("error", () => this.#clientGone());
    // A log line that cannot be written must not cause an exception, which would be logged again.
    process.stderr.on("error", () => {});
    for (const signal of SIGNALS) process.on(signal, () => this.#signalled());
    process.on("unhandledRejection", (reason) => console.error("Unhandled promise rejection:", reason));
    process.on("uncaughtException", (error) => {
      console.error("Uncaught exception; the server stops:", error);
      this.#server.overrides = { ...this.#server.overrides, failing: true };
      this.stop(1);
    });
    // Before the first response: the client, and the parent processes, may exit right after it.
    watchParents(() => this.#clientGone());
    this.#release = this.#lifespan?.open();
    this.#lifespan?.start().catch((error: Error) => this.stop(1, cannotStart(error)));
  }

  stop(code: number, ...reason: unknown[]): void {
    // A reason that several transports report is printed once.
    if (reason.length > 0 && this.#deadline === undefined) console.error(...reason);
    this.#stop(code, this.#drainTimeout);
  }

  #receive(chunk: Buffer): void {
    this.#input.push(chunk);
    this.#output.framing = this.#input.framing;
    this.#work();
  }

  /** Handles the messages that have arrived while the client reads its responses, so that unread output is bounded. */
  #work(): void {
    this.#output.corked = true;
    while (!this.#output.congested) {
      const next = this.#input.next();
      if (next === undefined) break;
      if (typeof next === "string") this.#connection.receive(next);
      else this.#connection.respondError(next);
    }
    // Responses to requests that arrived together are written together.
    this.#output.corked = false;
    this.#output.prompt = true;
    this.#output.flush();
    if (this.#output.congested) this.#pause();
    else if (this.#input.broken) this.#giveUp();
  }

  /** Pauses reading until the client has read its messages. */
  #pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    process.stdin.pause();
    this.#output.whenRead(() => {
      this.#paused = false;
      this.#work();
      if (!this.#paused) process.stdin.resume();
    });
  }

  /** After a framing error, the start of the next message is unknown. */
  #giveUp(): void {
    process.stdin.pause();
    this.stop(1);
  }

  #inputEnded(): void {
    this.#input.end();
    this.#work();
    this.#abandon();
    this.#stop(0, GRACE);
  }

  /** No client reads responses any more: handlers get a short time to clean up. */
  #clientGone(): void {
    this.#output.close();
    this.#abandon();
    this.#stop(0, GRACE);
  }

  #abandon(): void {
    this.#connection.abort("The client closed the connection.");
  }

  /** The first signal lets requests in flight finish; the second one exits immediately. */
  #signalled(): void {
    if (this.#deadline !== undefined) process.exit(0);
    this.stop(0);
  }

  /** Stops when all requests in flight are answered, or when the limit is reached. */
  #stop(code: number, limit: number): void {
    const latest = Math.max(limit, this.#drainTimeout);
    // A second reason to stop may have a shorter limit.
    setTimeout(() => void this.#finish(code), Math.min(limit, this.#lifespan?.timeForCalls(latest) ?? latest));
    if (this.#deadline !== undefined) return;
    this.#deadline = performance.now() + latest;
    setTimeout(() => process.exit(code), latest);
    if (this.#release !== undefined) this.#lifespan?.drain(this.#release, latest * STOP_SHARE);
    this.#others = this.#closeOthers?.(latest * STOP_SHARE);
    void this.#connection.drain().then(() => this.#finish(code));
  }

  /** Ends the process when the responses are written, the other transports closed, and `onStop` has finished. */
  async #finish(code: number): Promise<void> {
    this.#connection.close("The server is shutting down.");
    const left = (this.#deadline ?? 0) - performance.now();
    await Promise.all([this.#release?.(left * STOP_SHARE), this.#output.written(), this.#others]);
    exitWhenWritten(code);
  }
}

/** Milliseconds between checks of the parent processes. */
const PARENT_INTERVAL = 2000;
/** The maximum number of wrapper processes to look through. */
const MAX_WRAPPERS = 8;

/**
 * Calls back when a process that started this one has exited. A wrapper such as `npm exec`, with a shell in between,
 * may be killed without closing our stdin; its children then get another parent. With /proc, wrappers up the chain are
 * watched; elsewhere only our own parent.
 */
function watchParents(lost: () => void): void {
  const wrappers = findWrappers();
  const parents = wrappers.map(parentOf);
  const timer = setInterval(() => {
    if (wrappers.some((pid, index) => parentOf(pid) !== parents[index])) lost();
  }, PARENT_INTERVAL);
  timer.unref();
}

/** This process, and its ancestors that share its stdin. */
function findWrappers(): number[] {
  const wrappers = [process.pid];
  const stdin = stdinOf(process.pid);
  if (stdin === undefined) return wrappers;
  for (let pid = process.ppid; stdinOf(pid) === stdin && wrappers.length < MAX_WRAPPERS; pid = parentOf(pid)) {
    wrappers.push(pid);
  }
  return wrappers;
}

function parentOf(pid: number): number {
  if (pid === process.pid) return process.ppid;
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    // The command name, in parentheses, may contain any character.
    return Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2]);
  } catch {
    return 0;
  }
}

/** Identifies the pipe that is the stdin of a process; undefined for a terminal, which unrelated processes share. */
function stdinOf(pid: number): string | undefined {
  try {
    // Without `bigint`, Node would no longer resolve symbolic links in the paths of imports: its realpathSync gives up if
    // the last such call of the process found a pipe or a socket. With pnpm, a lazy import would then fail.
    const stats = fs.statSync(`/proc/${pid}/fd/0`, { bigint: true });
    return stats.isFIFO() || stats.isSocket() ? `${stats.dev} ${stats.ino}` : undefined;
  } catch {
    return undefined;
  }
}
