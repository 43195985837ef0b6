import { within } from "../calls/timeout.ts";
import { RpcError } from "../protocol/errors.ts";
import { METHODS } from "../protocol/methods.ts";
import { messageOf } from "../support/log.ts";
import type { ServerState } from "./server.ts";

/**
 * Ends the use of a server by one transport. The last one runs `onStop`, for at most `limit` milliseconds. Never
 * rejects; a second call only waits for the first.
 */
export type Release = (limit?: number) => Promise<void>;

/** Milliseconds for `onStop` where the transport has no drain time. */
const STOP_TIMEOUT = 5000;

/** The part of a drain time that calls in flight get if the server has tasks or `onStop`, which must end within the rest. */
const CALLS_SHARE = 0.8;

/** Milliseconds after its time limit at which a start counts as dropped. */
const MARGIN = 1000;

/**
 * Runs `onStart` before the first call and `onStop` after the last transport has closed: once, however many transports
 * serve the server. A server that is served again after that starts again.
 */
export class Lifespan {
  /** Whether `onStart` has finished: calls may run. */
  ready = false;
  readonly #server: ServerState;
  #users = 0;
  #failed = false;
  #starting: Promise<void> | undefined;
  #attempt = 0;
  #began = 0;
  #stopping: Promise<void> | undefined;

  constructor(server: ServerState) {
    this.#server = server;
  }

  /** Registers a transport. It must call the returned function when it has closed. */
  open(): Release {
    this.#users++;
    this.ready ||= this.#server.options.onStart === undefined;
    // A node works on the tasks of others as soon as it is served.
    if (this.#server.cluster !== undefined) this.#beginTasks();
    let closed: Promise<void> | undefined;
    return (limit = STOP_TIMEOUT) => {
      closed ??= this.#close(limit);
      return closed;
    };
  }

  /** Whether the server has started, is about to, or has failed to. */
  get status(): "ok" | "starting" | "unavailable" {
    if (this.ready) return "ok";
    return this.#failed && this.#starting === undefined ? "unavailable" : "starting";
  }

  /**
   * Runs `onStart`, or waits for the run in progress: there is never more than one. After a failure, the next call runs
   * it again. @throws {Error} with the reason, which is logged too.
   */
  start(): Promise<void> {
    if (this.ready) return Promise.resolve();
    if (this.#users === 0) return Promise.reject(new Error("The server is closed."));
    // Workers drop the timers and the I/O of a request whose client disconnects: the run it started would never end.
    const isDropped = Date.now() - this.#began > this.#limit + MARGIN;
    if (this.#starting === undefined || isDropped) {
      this.#began = Date.now();
      this.#starting = this.#start(++this.#attempt);
    }
    return this.#starting;
  }

  /** Waits for the start on behalf of a call. @throws {RpcError} without the reason, which clients must not see. */
  async wait(): Promise<void> {
    try {
      await within(this.#limit + MARGIN, this.start());
    } catch {
      throw notStarted("unavailable");
    }
  }

  /** Starts without waiting. The log has the reason of a failure. */
  begin(): void {
    this.start().catch(() => {});
  }

  /** The milliseconds of a drain time that calls in flight get. */
  timeForCalls(drainTimeout: number): number {
    const { options, tasks } = this.#server;
    return options.onStop === undefined && tasks === undefined ? drainTimeout : drainTimeout * CALLS_SHARE;
  }

  get #limit(): number {
    return this.#server.limits.startTimeout;
  }

  #beginTasks(): void {
    const { tasks, log } = this.#server;
    tasks?.engine.then(
      (engine) => engine.start(),
      (error) => log({ level: "error", message: "The tasks could not start", error }),
    );
  }

  async #start(attempt: number): Promise<void> {
    const { info, log, options } = this.#server;
    try {
      await this.#stopping;
      await within(this.#limit, options.onStart?.(this.#server), "limits.startTimeout");
      this.#failed = false;
      this.ready = true;
    } catch (error) {
      this.#failed = true;
      log({ level: "error", message: "onStart failed", error });
      throw new Error(`onStart of server "${info.name}" failed: ${messageOf(error)}`, { cause: error });
    } finally {
      if (attempt === this.#attempt) this.#starting = undefined;
    }
  }

  async #close(limit: number): Promise<void> {
    this.#users--;
    if (this.#users > 0) return;
    this.#stopping = this.#stop(limit);
    await this.#stopping;
  }

  async #stop(limit: number): Promise<void> {
    try {
      await within(Math.round(limit), this.#finish(limit), "the drain time");
    } catch (error) {
      const message =
        this.#starting === undefined ? "onStop failed" : "The server was closed before onStart had finished";
      this.#server.log({ level: "error", message, error });
    }
    this.#stopping = undefined;
  }

  /** Runs `onStop` if the server has started. A start in progress ends first, because it may open what `onStop` closes. */
  async #finish(limit: number): Promise<void> {
    await this.#starting?.catch(() => {});
    // Another transport may have opened in the meantime.
    if (!this.ready || this.#users > 0) return;
    this.ready = false;
    await (await this.#server.tasks?.used)?.stop(limit / 2);
    await this.#server.options.onStop?.(this.#server);
  }
}

/** The lifespan of a server; undefined if it has neither `onStart` nor `onStop`, nor a tool with `task`. */
export function lifespanOf(server: ServerState): Lifespan | undefined {
  const { onStart, onStop } = server.options;
  if (onStart !== undefined || onStop !== undefined || server.tasks !== undefined)
    server.lifespan ??= new Lifespan(server);
  return server.lifespan;
}

/**
 * Whether a request must wait until the server has started: every request that runs a function of the author. Lists are
 * answered before that, except a list of resources that a function computes.
 */
export function waitsForStart({ resources }: ServerState, method: string): boolean {
  if (method === "resources/list") return resources.sources.length > 0;
  return METHODS.get(method)?.runs === true;
}

/** The error of a call that the server cannot run because it has not started. Clients do not see the reason. */
export function notStarted(status: Lifespan["status"]): RpcError {
  const state = status === "unavailable" ? "could not start" : "is starting";
  return new RpcError("busy", `The server ${state}. Try again later.`);
}
