import type { Call } from "../../calls/call.ts";
import { nodeName } from "../../nodes/node-name.ts";
import {
  type Cluster,
  type QueueWorker,
  type RecordChange,
  type RecordFields,
  type SharedStore,
  StoreUnavailable,
} from "../../nodes/ports.ts";
import { RpcError } from "../../protocol/errors.ts";
import { checkQueue } from "../../server/feature-options.ts";
import type { TaskLimits } from "../../server/limits.ts";
import { addMetrics } from "../../server/metrics.ts";
import type { ServerState } from "../../server/server.ts";
import { sealerOf } from "../../support/seal.ts";
import type { Tool } from "../../tools/define.ts";
import type { TaskSettings } from "../../tools/task-option.ts";
import { TaskCounters } from "./counters.ts";
import { Creation } from "./creation.ts";
import { EarlyRun, type EarlyTask } from "./early-run.ts";
import { toTaskLimits } from "./limits.ts";
import { persist } from "./persist.ts";
import { prepareRun } from "./prepare-run.ts";
import type { CreatedTask } from "./protocol.ts";
import { Quota } from "./quota.ts";
import { JOURNAL, keyOf, type TaskHead, UNQUEUED } from "./record.ts";
import { RequestTimes } from "./request-times.ts";
import { serveRequest } from "./requests.ts";
import type { TaskRun } from "./run.ts";
import { Vault } from "./vault.ts";
import { type TaskListener, TaskWatch } from "./watch.ts";

/** Milliseconds without a change after which a task is woken up again, if nobody works on it: longer than a queue's lock. */
const HEAL_TIME = 20_000;
/** The same for a run that no queue knows of: nodes' clocks may differ. */
const UNQUEUED_HEAL_TIME = 600_000;
const CANCEL = "cancel ";
const FINAL_FIELDS = ["questions", "call", "message", "last", "late", "lease", "beat"];

/** Creates, runs and reports the tasks of a server. Everything that must survive is in the store. */
export class TaskEngine {
  readonly server: ServerState;
  readonly store: SharedStore;
  readonly vault: Vault;
  readonly limits: Required<TaskLimits>;
  readonly counters = new TaskCounters();
  readonly quota: Quota;
  readonly #ports: Required<Cluster>;
  /** The ports are this process's memory. */
  readonly #isLocal: boolean;
  readonly #node: string;
  readonly #times: RequestTimes;
  #leases = 0;
  readonly #running = new Map<string, TaskRun>();
  /** The runs that began before their task: no queue knows them. */
  readonly #early = new Set<EarlyRun>();
  #worker: QueueWorker | undefined;
  #hasTold = false;
  #stopListening: (() => void) | undefined;

  private constructor(server: ServerState, ports: Required<Cluster>) {
    this.server = server;
    this.store = ports.store;
    this.#ports = ports;
    this.#isLocal = server.cluster === undefined;
    this.vault = new Vault(this.#isLocal ? undefined : sealerOf(server));
    this.#node = nodeName(server);
    this.limits = toTaskLimits(server.limits);
    this.quota = new Quota(ports.store, this.limits.tasks);
    this.#times = new RequestTimes(ports.store.timeLimit);
    addMetrics(server, "tasks", () => ({ ...this.counters, running: this.#running.size }), ["running"]);
    this.start();
  }

  /** @throws {UsageError} if the nodes of the server share no queue. */
  static async create(server: ServerState): Promise<TaskEngine> {
    checkQueue(server);
    const { cluster } = server;
    if (cluster !== undefined) return new TaskEngine(server, cluster as Required<Cluster>);
    const { memoryCluster } = await import("../../nodes/memory.ts");
    return new TaskEngine(server, memoryCluster());
  }

  /** Works on tasks, unless this node only answers. */
  start(): void {
    if (this.#worker !== undefined || this.server.overrides.tasks === "serve") return;
    const concurrency = this.server.overrides.taskConcurrency ?? this.limits.taskConcurrency;
    this.#worker = this.#ports.queue.work((job, signal) => this.deliver(job, signal), { concurrency });
    this.#stopListening = this.#ports.bus.subscribe(`node ${this.#node}`, {
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
    this.start();
    this.#tellWhere(call);
    const { after } = tool.task as TaskSettings;
    // A round with the answer to a question, or `ctx.background()`: it took longer already.
    if (after === 0 || call.questions !== undefined) return this.createNow(call, tool);
    const run = new EarlyRun(this, call, tool);
    return run.race(after);
  }

  /** Says once where tasks are kept, unless a test runs them. */
  #tellWhere({ origin }: Call): void {
    if (!this.#isLocal || this.#hasTold || origin.transport === "memory") return;
    this.#hasTold = true;
    this.server.log({ level: "info", message: "Tasks are kept in the memory of this process and end with it." });
  }

  /** Names a run: its node, and its number there. */
  newLease(): string {
    return `${this.#node}.${++this.#leases}`;
  }

  /** Runs a handler before its task exists. */
  runEarly(id: string, run: EarlyRun, signal: AbortSignal): void {
    this.#early.add(run);
    this.#running.set(id, run);
    run
      .run(signal)
      .catch(() => {})
      .finally(() => {
        this.#early.delete(run);
        if (this.#running.get(id) === run) this.#running.delete(id);
      });
  }

  /** Creates a task at once: of a run that has begun, or with a wake-up. Returns undefined at a limit. */
  async createNow(call: Call, tool: Tool, early?: EarlyTask): Promise<CreatedTask | undefined> {
    const creation = new Creation(this, call, tool, early);
    try {
      const created = await this.#times.run((time) => creation.create(time));
      if (created !== undefined) this.counters.created++;
      return created;
    } catch (error) {
      // A call that ran plainly beside its task would have its effects twice.
      if ((tool.task as TaskSettings).required || creation.mayRun) {
        if (error instanceof RpcError && error.kind === "busy") throw error;
        throw new RpcError("internal_error", "The task could not be created.", { cause: error });
      }
      this.server.logError(call, "The task could not be created, so the call runs without one", error);
      return undefined;
    }
  }

  serve(call: Call): Promise<object> {
    this.start();
    return this.#times.run(() => serveRequest(this, call));
  }

  watch(call: Call, ids: unknown, listener: TaskListener): Promise<TaskWatch> {
    return this.#times.run(() => TaskWatch.open(this, this.#ports.bus, call, ids, listener));
  }

  /** Wakes up the task, for the leg in its record. */
  async wake(id: string, leg: string): Promise<void> {
    await this.#ports.queue.push(`${id}.${leg}`);
  }

  /**
   * Wakes up a task that should run but has not changed for long: its wake-up may be lost. The queue ignores the wake-up
   * while it has that of the same leg, so a long run is not disturbed.
   */
  heal(id: string, { status, leg, updated, beat }: RecordFields): void {
    if (status !== "working" || this.#running.has(id)) return;
    const latest = Math.max(Number(updated), Number(beat ?? 0));
    const limit = leg === UNQUEUED ? UNQUEUED_HEAL_TIME : HEAL_TIME;
    if (Date.now() - latest < limit) return;
    this.wake(id, leg as string).catch((error) => {
      this.server.log({ level: "warning", message: "A task could not be woken up", error });
    });
  }

  /** Tells all nodes that a task has changed. A lost message is found by the next poll. */
  changed(id: string): void {
    this.publish(`task ${id}`, "changed");
  }

  /** Aborts the run of a task that was cancelled, on whichever node it is. */
  cancelRun(id: string, lease: string | undefined): void {
    if (lease !== undefined) this.publish(`node ${lease.split(".")[0]}`, CANCEL + id);
  }

  publish(topic: string, message: string): void {
    const failed = (error: unknown) => this.server.log({ level: "warning", message: "A hint was not sent", error });
    try {
      const sent = this.#ports.bus.publish(topic, message);
      if (sent instanceof Promise) sent.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  /** The change that ends a task. */
  async ending(id: string, status: string, field?: string, json = "", message?: string): Promise<RecordChange> {
    const set: Record<string, string> = { status };
    if (field !== undefined) set[field] = await this.vault.seal(id, field, json);
    if (message !== undefined) set.message = await this.vault.seal(id, "message", message);
    return { set, remove: FINAL_FIELDS, removePrefix: JOURNAL, stamp: ["updated"], durable: true };
  }

  /** Reports the end of a task. */
  ended(id: string, { owner }: TaskHead, { slot }: RecordFields, status: "completed" | "failed" | "cancelled"): void {
    this.counters[status]++;
    this.changed(id);
    if (slot !== undefined) this.quota.release(owner, slot).catch(() => {});
  }

  /** Runs the task that a wake-up names, unless it has ended, waits for answers, or has a newer leg. */
  async deliver(job: string, signal: AbortSignal): Promise<void> {
    const end = job.lastIndexOf(".");
    const id = job.slice(0, end);
    await this.server.lifespan?.start();
    const lease: RecordChange = {
      if: { status: "working", leg: job.slice(end + 1) },
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
    if (run === undefined) return;
    this.#running.set(id, run);
    try {
      await run.run(signal);
    } finally {
      if (this.#running.get(id) === run) this.#running.delete(id);
    }
  }
}

const CANCELLED = "The task was cancelled.";
const CRASHED = "The process of the task crashed.";
const TAKEN_OVER = "Another run of the task has taken over.";
