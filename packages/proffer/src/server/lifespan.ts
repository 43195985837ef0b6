import { within } from "../calls/timeout.ts";
import type { ClusterNode } from "../nodes/node.ts";
import { RpcError } from "../protocol/errors.ts";
import { messageOf } from "../support/log.ts";
import { checkCluster, withNode } from "./cluster.ts";
import { checkQueue } from "./queue-check.ts";
import { addReadinessCheck } from "./readiness.ts";
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
 * Stops work that goes on beside calls: takes no more of it at once, and resolves when the rest has ended or was handed
 * over to other nodes, which must take less than that many milliseconds.
 */
export type Drain = (milliseconds: number) => Promise<void>;

/**
 * Runs `onStart` before the first call and `onStop` after the last transport has closed: once, however many transports
 * serve the server. A server that is served again after that starts again. Meanwhile it is a node of its cluster, if it
 * has one.
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
  #joining: Promise<void> | undefined;
  readonly #drains = new Set<Drain>();
  #drained: Promise<unknown> | undefined;
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
    this.ready ||= this.#server.options.onStart === undefined && !mustHaveResourceTools(this.#server);
    if (this.#server.joinsCluster) this.#join();
    // A node works on the tasks of others as soon as it is served.
    if (this.#server.cluster !== undefined) this.#beginTasks();
    return release;
  }

  /** Adds work that must end before `onStop` runs. */
  onDrain(drain: Drain): void {
    this.#drains.add(drain);
  }

  /** Adds a function that runs after `onStop`, when the node has left its cluster. */
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
   * it again. Without `onStart`, waits until the node has joined its cluster. @throws {Error} with the reason, which is logged too.
   */
  start(): Promise<void> {
    if (this.ready) return this.#joining ?? Promise.resolve();
    if (this.#transports.size === 0) return Promise.reject(new Error("The server is closed."));
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
    const { options, tasks, joinsCluster } = this.#server;
    const hasMore = options.onStop !== undefined || tasks !== undefined || this.#drains.size > 0 || joinsCluster;
    return hasMore ? drainTimeout * CALLS_SHARE : drainTimeout;
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
    let failing = "onStart";
    try {
      await this.#stopping;
      if (mustHaveResourceTools(this.#server)) {
        failing = "resourceTools";
        (await import("../features/resource-tools/prepare.ts")).checkResourceTools(this.#server);
        failing = "onStart";
      }
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

  /** Becomes a node of the cluster. Probes wait for the code of the node. */
  #join(): void {
    const node = new Promise<ClusterNode>((resolve) => withNode(this.#server, resolve));
    this.#joining = node.then((loaded) => {
      if (this.#transports.size > 0) loaded.join();
    });
    addReadinessCheck(this.#server, "store", async () => (await node).storeWorks());
    if (this.#server.cluster?.queue !== undefined)
      addReadinessCheck(this.#server, "queue", async () => (await node).queueWorks());
  }

  async #close(transport: Release, limit: number): Promise<void> {
    this.#transports.delete(transport);
    if (this.#transports.size > 0) return;
    this.#stopping = this.#stop(limit);
    await this.#stopping;
  }

  #beginDrain(milliseconds: number): void {
    const { log } = this.#server;
    this.#drained ??= Promise.all(
      [...this.#drains, this.#stopTasks].map(async (drain) => {
        try {
          await drain(milliseconds);
        } catch (error) {
          log({ level: "error", message: "Work of the server could not be stopped", error });
        }
      }),
    );
  }

  readonly #stopTasks: Drain = async (milliseconds) => {
    const engine = await this.#server.tasks?.used;
    await engine?.stop(milliseconds);
  };

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

  /** Runs `onStop` if the server has started. A start in progress ends first, because it may open what `onStop` closes. */
  async #finish(): Promise<void> {
    await this.#starting?.catch(() => {});
    await this.#drained;
    this.#drained = undefined;
    // A call in flight may have created a task meanwhile.
    await this.#stopTasks(0);
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
    await this.#server.node?.leave();
    await Promise.all([...this.#closers].map((close) => close()));
  }
}

/** Whether every resource must be a tool: if one cannot, the server does not start. */
function mustHaveResourceTools({ options }: ServerState): boolean {
  return options.resourceTools === "always";
}

/**
 * The lifespan of a server; undefined if nothing has to be done when it starts or stops.
 * @throws {UsageError} for an invalid option `cluster`, and if it lacks the queue that a tool with `task` needs.
 */
export function lifespanOf(server: ServerState): Lifespan | undefined {
  const { onStart, onStop } = server.options;
  const { joinsCluster, tasks } = server;
  if (joinsCluster) checkCluster(server);
  if (tasks !== undefined) checkQueue(server);
  const isNeeded = onStart !== undefined || onStop !== undefined || tasks !== undefined || joinsCluster;
  if (isNeeded || mustHaveResourceTools(server)) return requireLifespan(server);
  return server.lifespan;
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
