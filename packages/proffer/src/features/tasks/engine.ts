import type { Call } from "../../calls/call.ts";
import { Deadlines } from "../../nodes/deadlines.ts";
import { RunShares } from "../../nodes/jobs.ts";
import {
  type Bus,
  type Cluster,
  type Queue,
  type QueueWorker,
  type RecordChange,
  type RecordFields,
  type SharedStore,
  StoreUnavailable,
} from "../../nodes/ports.ts";
import { Quota } from "../../nodes/quota.ts";
import { nodeName } from "../../nodes/topics.ts";
import { RpcError } from "../../protocol/errors.ts";
import type { TaskLimits } from "../../server/limits.ts";
import { addMetrics } from "../../server/metrics.ts";
import type { ServerState } from "../../server/server.ts";
import { contain } from "../../support/async.ts";
import type { TaskSettings, Tool } from "../../tools/define.ts";
import { createTask, EarlyRun } from "./creation.ts";
import { JOURNAL, keyOf, TASK_LIMITS, type TaskHead, TaskSealer, UNQUEUED } from "./record.ts";
import { serveRequest } from "./requests.ts";
import { prepareRun, type TaskRun } from "./run.ts";
import { persist } from "./run-writer.ts";

/** Milliseconds without a change after which a task is woken up again, if nobody works on it: longer than a queue's lock. */
const STALLED_TIME = 20_000;
/** The same for a run that no queue knows of: nodes' clocks may differ. */
const UNQUEUED_STALLED_TIME = 600_000;
const CANCEL = "cancel ";
const CANCELLED = "The task was cancelled.";
const CRASHED = "The process of the task crashed.";
const TAKEN_OVER = "Another run of the task has taken over.";
const FINAL_FIELDS = ["questions", "call", "message", "last", "late", "lease", "heartbeat"];

/** The time of one request. */
export interface RequestTime {
  /** The request was answered with an error: its further work must not take effect. */
  readonly isOver: boolean;
}

/** Creates, runs and reports the tasks of a server. Everything that must survive is in the store. */
export class TaskEngine {
  readonly server: ServerState;
  readonly store: SharedStore;
  readonly bus: Bus;
  readonly sealer: TaskSealer;
  readonly limits: Required<TaskLimits>;
  /** Since the start of this node, for `server.metrics()`. */
  readonly counters = {
    created: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
    runs: 0,
    /** Runs that continued one which had not ended: its node died, stopped, or lost its lock. */
    restarted: 0,
    /** Writes of a run that were refused, because another run had written something, or the task was cancelled. */
    refused: 0,
    /** Steps that were recorded. */
    steps: 0,
  };
  readonly quota: Quota;
  readonly #queue: Queue;
  /** Undefined for a store that answers at once. */
  readonly #deadlines: Deadlines | undefined;
  /** The ports are this process's memory. */
  readonly #isLocal: boolean;
  readonly #node: string;
  #leases = 0;
  readonly #running = new Map<string, TaskRun>();
  /** The runs that began before their task: no queue knows them. */
  readonly #early = new Set<EarlyRun>();
  #worker: QueueWorker | undefined;
  #shares = new RunShares(0);
  #hasTold = false;
  /** Ends the waits of clients that poll: the node stops. */
  readonly waits = new Set<() => void>();
  #stopListening: (() => void) | undefined;

  private constructor(server: ServerState, { store, bus, queue }: Required<Cluster>) {
    this.server = server;
    this.store = store;
    this.bus = bus;
    this.#queue = queue;
    this.#isLocal = server.cluster === undefined;
    this.sealer = new TaskSealer("task", this.#isLocal ? undefined : server);
    this.#node = nodeName(server);
    this.limits = { ...TASK_LIMITS, ...server.limits };
    this.quota = new Quota(store, "tasks", this.limits.tasks, server);
    this.#deadlines = store.timeLimit === undefined ? undefined : new Deadlines(store.timeLimit);
    addMetrics(server, "tasks", () => ({ ...this.counters, running: this.#running.size }), ["running"]);
    this.start();
  }

  static async create(server: ServerState): Promise<TaskEngine> {
    const { cluster } = server;
    // The row of the feature has checked that its nodes share a queue.
    if (cluster !== undefined) return new TaskEngine(server, cluster as Required<Cluster>);
    const { memoryCluster } = await import("../../nodes/memory.ts");
    return new TaskEngine(server, memoryCluster());
  }

  /** Works on tasks, unless this node only answers. */
  start(): void {
    if (this.#worker !== undefined || this.server.overrides.tasks === "serve") return;
    const concurrency = this.server.overrides.taskConcurrency ?? this.limits.taskConcurrency;
    this.#shares = new RunShares(concurrency);
    this.#worker = this.#queue.work((job, signal) => this.deliver(job, signal), { concurrency });
    this.#stopListening = this.bus.subscribe(`node ${this.#node}`, {
      heard: (message) => {
        if (message.startsWith(CANCEL)) this.#running.get(message.slice(CANCEL.length))?.abandon(CANCELLED);
      },
      missed: () => {
        // Without an answer of the store, the next write of the run finds it out.
        for (const run of this.#running.values()) run.check().catch(() => {});
      },
    });
  }

  /**
   * Takes no more wake-ups. Runs that have not ended after the grace time continue on another node; in the memory of this
   * process there is no other, so they end at once and continue if the server starts again.
   */
  async stop(grace: number): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#shares.close();
    for (const end of this.waits) end();
    await worker?.stop(this.#isLocal ? 0 : grace);
    await Promise.allSettled([...this.#early].map((run) => run.stop()));
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  /** Leaves all runs behind without a word to the store, as if the process had died, and works again. For tests. */
  async crash(): Promise<void> {
    const early = [...this.#early];
    for (const run of this.#running.values()) run.abandon(CRASHED, new Error(CRASHED));
    void this.#worker?.stop(0);
    this.#worker = undefined;
    this.#shares.close();
    this.#stopListening?.();
    // The queue does not know these runs: it would take minutes until a poll finds that they are gone.
    await Promise.all(early.map(({ id, taskId }) => taskId && this.wake(id, UNQUEUED)));
    this.start();
  }

  /**
   * Creates a task: first the record, then the wake-up, then the answer. Returns a plain result if the handler was faster,
   * and undefined if the call may go on plainly.
   */
  async create(call: Call, tool: Tool): Promise<object | undefined> {
    this.prepare(call);
    const { after } = tool.task as TaskSettings;
    // A round with the answer to a question, or `ctx.background()`: it took longer already.
    if (after === 0 || call.questions !== undefined) return createTask(this, call, tool);
    const run = new EarlyRun(this, call, tool);
    return run.race(after);
  }

  /** Works on tasks from now on, and says once where they are kept, unless a test runs them. */
  prepare({ origin }: Call): void {
    this.start();
    if (!this.#isLocal || this.#hasTold || origin.transport === "memory") return;
    this.#hasTold = true;
    this.server.log({ level: "info", message: "Tasks are kept in the memory of this process and end with it." });
  }

  /** Names a run: its node, and its number there. */
  newLease(): string {
    return `${this.#node}.${++this.#leases}`;
  }

  /** Runs a handler before its task exists. @throws {RpcError} if too many handlers of its caller outlived their tasks. */
  runEarly(run: EarlyRun, signal: AbortSignal): void {
    if (this.#shares.isHeld(run.start.head.caller ?? ""))
      throw new RpcError("busy", "Too many handlers of this caller run on after their tasks ended. Try again later.");
    this.#early.add(run);
    this.#run(run, signal)
      .catch(() => {})
      .finally(() => this.#early.delete(run));
  }

  async #run(run: TaskRun, signal: AbortSignal): Promise<void> {
    this.#running.set(run.id, run);
    try {
      await run.run(signal);
    } finally {
      if (this.#running.get(run.id) === run) this.#running.delete(run.id);
      if (run.late !== undefined) this.#shares.hold(run.start.head.caller ?? "", run.late);
    }
  }

  serve(call: Call): Promise<object> {
    this.start();
    return this.inTime(() => serveRequest(this, call));
  }

  /**
   * Runs the work of a request about tasks. Each call of the store or queue has its time limit, but a request that needs
   * several of them must not take as long as all limits together. @throws {StoreUnavailable} if its time is over.
   */
  inTime<Value>(work: (time: RequestTime) => Promise<Value>): Promise<Value> {
    const time = { isOver: false };
    const done = work(time);
    if (this.#deadlines === undefined) return done;
    return this.#deadlines.limit(done, () => {
      time.isOver = true;
      return new StoreUnavailable("timeout", new Error("The store and the queue did not answer the request in time."));
    });
  }

  /** Wakes up the task; `wakeup` is the number in its record. */
  async wake(id: string, wakeup: string): Promise<void> {
    await this.#queue.push(`${id}.${wakeup}`);
  }

  /**
   * Wakes up a task that should run but has not changed for long: its wake-up may be lost. The queue ignores the wake-up
   * while it has one with the same number, so a long run is not disturbed.
   */
  wakeIfStalled(id: string, { status, wakeup, updated, heartbeat }: RecordFields): void {
    if (status !== "working" || this.#running.has(id)) return;
    const latest = Math.max(Number(updated), Number(heartbeat ?? 0));
    const limit = wakeup === UNQUEUED ? UNQUEUED_STALLED_TIME : STALLED_TIME;
    if (Date.now() - latest < limit) return;
    this.wake(id, wakeup as string).catch((error) => {
      this.server.log({ level: "warning", message: "A task could not be woken up", error });
    });
  }

  /** Notifies all nodes of a changed task. A lost message is found by the next poll. */
  changed(id: string): void {
    this.publish(`task ${id}`, "changed");
  }

  /** Aborts the run of a task that was cancelled, on whichever node it is. */
  cancelRun(id: string, lease: string | undefined): void {
    if (lease !== undefined) this.publish(`node ${lease.split(".")[0]}`, CANCEL + id);
  }

  publish(topic: string, message: string): void {
    contain(
      () => this.bus.publish(topic, message),
      (error) => this.server.log({ level: "warning", message: "A hint was not sent", error }),
    );
  }

  /** The change that ends a task. */
  async ending(id: string, status: string, field?: string, json = "", message?: string): Promise<RecordChange> {
    const set: Record<string, string> = { status };
    if (field !== undefined) set[field] = await this.sealer.seal(id, field, json);
    if (message !== undefined) set.message = await this.sealer.seal(id, "message", message);
    return { set, remove: FINAL_FIELDS, removePrefix: JOURNAL, stamp: ["updated"], durable: true };
  }

  /** Reports the end of a task. */
  ended(id: string, { caller }: TaskHead, { slot }: RecordFields, status: "completed" | "failed" | "cancelled"): void {
    this.counters[status]++;
    this.changed(id);
    if (slot !== undefined) this.quota.release(caller, slot).catch(() => {});
  }

  /** Runs the task that a wake-up names. @throws {NotYet} if its caller has its share of the runs. */
  async deliver(job: string, signal: AbortSignal): Promise<void> {
    const end = job.lastIndexOf(".");
    const id = job.slice(0, end);
    await this.server.lifespan?.start();
    const fields = await this.store.read(keyOf(id), ["head"]);
    if (fields === undefined) return;
    const caller = (await this.sealer.openJson<TaskHead>(id, "head", fields))?.caller ?? "";
    await this.#shares.run(caller, job, () => this.#continue(id, job.slice(end + 1), signal));
  }

  /** Runs a task, unless it has ended, waits for answers, or was woken up anew. */
  async #continue(id: string, wakeup: string, signal: AbortSignal): Promise<void> {
    const lease: RecordChange = {
      if: { status: "working", wakeup },
      add: { epoch: 1, idle: 1 },
      set: { lease: this.newLease() },
    };
    // A queue on the same server can neither keep the lock of the job nor take it back: it would wait for the lock to end,
    // and then for memory. After any other failure the lease may have been taken, and is not taken again.
    const { made, fields } = await persist(
      () => this.store.change(keyOf(id), lease),
      () => signal.aborted,
      (error) => error instanceof StoreUnavailable && error.reason === "full",
    );
    if (!made) return;
    const earlier = this.#running.get(id);
    const continued = earlier?.continueFor(fields, signal);
    if (continued !== undefined) return continued;
    this.counters.runs++;
    if (Number(fields.idle) > 1) this.counters.restarted++;
    earlier?.abandon(TAKEN_OVER);
    const run = await prepareRun(this, id, fields);
    if (run !== undefined) await this.#run(run, signal);
  }
}
