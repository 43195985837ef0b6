import { within } from "../calls/timeout.ts";
import { RpcError } from "../protocol/errors.ts";
import { messageOf } from "../support/log.ts";
import type { ServerState } from "./server.ts";

/**
 * Ends the use of a server by one transport. The last one runs `onStop`, for at most `limit` milliseconds. Never
 * rejects; a second call only waits for the first.
 */
export type Release = (limit?: number) => Promise<void>;

/** Milliseconds for `onStop` where the transport has no drain time. */
const STOP_TIMEOUT = 5000;

/** The part of a drain time that calls in flight get if something follows them, which must finish within the rest. */
const CALLS_SHARE = 0.8;

/** Milliseconds after its time limit at which a start counts as dropped. */
const MARGIN = 1000;

/**
 * Runs `onStart` before the first call and `onStop` after the last transport has closed: once, however many transports
 * serve the server. A server that is served again after that starts again. Opens and closes its features with it.
 */
export class Lifespan {
  /** Whether `onStart` has finished: calls may run. */
  ready = false;
  readonly #server: ServerState;
  /** The transports that serve the server; true for those that have begun to close. */
  readonly #transports = new Map<Release, boolean>();
  #failed = false;
  #starting: Promise<void> | undefined;
  #attempt = 0;
  #began = 0;
  #stopping: Promise<void> | undefined;
  #opening: Promise<void> | undefined;
  #drained: Promise<void> | undefined;
  readonly #closers = new Set<() => Promise<unknown>>();

  constructor(server: ServerState) {
    this.#server = server;
  }

  /** Registers a transport. It must call the returned function when it has closed. */
  open(): Release {
    let closed: Promise<void> | undefined;
    const release: Release = (limit = STOP_TIMEOUT) => {
      closed ??= this.#close(release, limit);
      return closed;
    };
    this.#transports.set(release, false);
    const { features, options } = this.#server;
    this.#opening = features.loading?.then(() => this.#openFeatures());
    this.#opening?.catch(() => {});
    if (this.#opening === undefined) this.#openFeatures();
    // A server that is only listed does not start, so it must not stop.
    this.ready ||= (options.onStart ?? options.onStop ?? this.#opening) === undefined;
    return release;
  }

  /** Adds a function that runs after `onStop`, when the features are closed. */
  onClosed(close: () => Promise<unknown>): void {
    this.#closers.add(close);
  }

  /**
   * A transport stops taking requests, and closes within that many milliseconds. With the last one, the work beside
   * calls begins to end, too.
   */
  drain(transport: Release, milliseconds: number): void {
    if (!this.#transports.has(transport)) return;
    this.#transports.set(transport, true);
    if ([...this.#transports.values()].every(Boolean)) this.#beginDrain(this.timeForCalls(milliseconds));
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
    if (this.#transports.size === 0) return Promise.reject(new Error("The server is closed."));
    // Workers drop the timers and the I/O of a request whose client disconnects: the run it started would never end.
    const isDropped = performance.now() - this.#began > this.#limit + MARGIN;
    if (this.#starting === undefined || isDropped) {
      this.#began = performance.now();
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
    const { options, features } = this.#server;
    const hasMore = options.onStop !== undefined || features.hasLifespan;
    return hasMore ? drainTimeout * CALLS_SHARE : drainTimeout;
  }

  get #limit(): number {
    return this.#server.limits.startTimeout;
  }

  #openFeatures(): void {
    // It may have been closed while the features were loaded.
    if (this.#transports.size === 0) return;
    for (const feature of this.#server.features.with("open")) feature.open(this.#server);
  }

  async #start(attempt: number): Promise<void> {
    const { info, log, options } = this.#server;
    let failing = "Loading";
    try {
      await this.#stopping;
      await this.#opening;
      failing = "onStart";
      await within(this.#limit, options.onStart?.(this.#server), "limits.startTimeout");
      this.#failed = false;
      this.ready = true;
    } catch (error) {
      this.#failed = true;
      log({ level: "error", message: `${failing} failed`, error });
      throw new Error(`${failing} of server "${info.name}" failed: ${messageOf(error)}`, { cause: error });
    } finally {
      if (attempt === this.#attempt) this.#starting = undefined;
    }
  }

  async #close(transport: Release, limit: number): Promise<void> {
    this.#transports.delete(transport);
    if (this.#transports.size > 0) return;
    this.#stopping = this.#stop(limit);
    await this.#stopping;
  }

  #beginDrain(milliseconds: number): void {
    this.#drained ??= this.#drainFeatures(milliseconds).catch((error) => {
      this.#server.log({ level: "error", message: "Work of the server could not be stopped", error });
    });
  }

  async #drainFeatures(milliseconds: number): Promise<void> {
    const features = this.#server.features.with("drain");
    await Promise.all(features.map((feature) => feature.drain(this.#server, milliseconds)));
  }

  async #stop(limit: number): Promise<void> {
    // For transports that have no drain time.
    this.#beginDrain(limit * CALLS_SHARE);
    try {
      await within(Math.round(limit), this.#finish(), "the drain time");
    } catch (error) {
      const message =
        this.#starting === undefined ? "onStop failed" : "The server was closed before onStart had finished";
      this.#server.log({ level: "error", message, error });
    }
    this.#stopping = undefined;
  }

  /** Runs `onStop` if the server has started. A start in progress ends first, because it may open resources that `onStop` closes. */
  async #finish(): Promise<void> {
    await this.#starting?.catch(() => {});
    await this.#drained;
    this.#drained = undefined;
    // A call in flight may have begun such work meanwhile.
    await this.#drainFeatures(0);
    // Another transport may have opened in the meantime.
    if (this.#transports.size > 0) return;
    try {
      if (this.ready) {
        this.ready = false;
        await this.#server.options.onStop?.(this.#server);
      }
    } finally {
      if (this.#transports.size === 0) await this.#leave();
    }
  }

  async #leave(): Promise<void> {
    await Promise.all(this.#server.features.with("close").map((feature) => feature.close(this.#server)));
    await Promise.all([...this.#closers].map((close) => close()));
  }
}

/**
 * The lifespan of a server; undefined if nothing has to be done when it starts or stops.
 * @throws {UsageError} for options of features that contradict each other.
 */
export function lifespanOf(server: ServerState): Lifespan | undefined {
  const { onStart, onStop } = server.options;
  server.features.check();
  const isNeeded = onStart !== undefined || onStop !== undefined || server.features.hasLifespan;
  return isNeeded ? requireLifespan(server) : server.lifespan;
}

/** The lifespan of a server. Call it before the server is served. */
export function requireLifespan(server: ServerState): Lifespan {
  server.lifespan ??= new Lifespan(server);
  return server.lifespan;
}

/**
 * Whether a request must wait until the server has started: every request that runs a function of the author. Lists are
 * answered before that, except a list of resources that a function computes.
 */
export function waitsForStart({ resources, methods }: ServerState, method: string): boolean {
  if (method === "resources/list") return resources.sources.length > 0;
  return methods.get(method)?.runs === true;
}

/** The error of a call that the server cannot run because it has not started. Clients do not see the reason. */
export function notStarted(status: Lifespan["status"]): RpcError {
  const state = status === "unavailable" ? "could not start" : "is starting";
  return new RpcError("busy", `The server ${state}. Try again later.`);
}
