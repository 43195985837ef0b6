import type { Call } from "../../calls/call.ts";
import type { Bus } from "../../nodes/ports.ts";
import { InvalidParams } from "../../protocol/errors.ts";
import type { TaskEngine } from "./engine.ts";
import type { DetailedTask } from "./protocol.ts";
import { findTask } from "./requests.ts";
import { detailedTask, isTerminal } from "./view.ts";

/** Receives the state of a task. */
export type TaskListener = (task: DetailedTask) => void;

/** The tasks that one subscription watches. */
export class TaskWatch {
  /** The tasks that the caller may read. Unknown ones are left out without an error. */
  readonly ids: readonly string[];
  readonly #watched: readonly WatchedTask[];

  private constructor(watched: readonly WatchedTask[]) {
    this.#watched = watched;
    this.ids = watched.map(({ id }) => id);
  }

  static async open(
    engine: TaskEngine,
    bus: Bus,
    call: Call,
    ids: unknown,
    listener: TaskListener,
  ): Promise<TaskWatch> {
    const { subscriptions } = call.server.limits;
    if (!Array.isArray(ids) || !ids.every((id) => typeof id === "string"))
      throw new InvalidParams("params.notifications.taskIds must be an array of task ids.");
    if (ids.length > subscriptions)
      throw new InvalidParams(`Too many subscriptions: the limit is ${subscriptions} tasks per client.`);
    const watched: WatchedTask[] = [];
    for (const id of new Set<string>(ids)) {
      if ((await findTask(engine, call, id)) !== undefined)
        watched.push(new WatchedTask(engine, bus, call, id, listener));
    }
    return new TaskWatch(watched);
  }

  /** Reports the present state of each task, and each change, until the returned function is called. */
  start(): () => void {
    for (const task of this.#watched) task.start();
    return () => {
      for (const task of this.#watched) task.stop();
    };
  }
}

class WatchedTask {
  readonly id: string;
  readonly #engine: TaskEngine;
  readonly #bus: Bus;
  readonly #call: Call;
  readonly #listener: TaskListener;
  #unsubscribe: (() => void) | undefined;
  #sent = "";
  #reading = false;
  #isStale = false;

  constructor(engine: TaskEngine, bus: Bus, call: Call, id: string, listener: TaskListener) {
    this.#engine = engine;
    this.#bus = bus;
    this.#call = call;
    this.id = id;
    this.#listener = listener;
  }

  /** Subscribes before it reads: a change in between is read twice, and never lost. */
  start(): void {
    const read = () => void this.#read();
    this.#unsubscribe = this.#bus.subscribe(`task ${this.id}`, { heard: read, missed: read });
    read();
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  async #read(): Promise<void> {
    this.#isStale = true;
    if (this.#reading) return;
    this.#reading = true;
    while (this.#isStale && this.#unsubscribe !== undefined) {
      this.#isStale = false;
      try {
        await this.#report();
      } catch (error) {
        this.#engine.server.logError(this.#call, "A task could not be read", error);
      }
    }
    this.#reading = false;
  }

  async #report(): Promise<void> {
    const found = await findTask(this.#engine, this.#call, this.id);
    const task = found && (await detailedTask(this.#engine.vault, this.id, found.fields));
    if (found === undefined || task === undefined) return this.stop();
    this.#engine.heal(this.id, found.fields);
    // The interval depends on the time of the reading.
    const { pollIntervalMs: _, ...rest } = task;
    const text = JSON.stringify(rest);
    if (text !== this.#sent && this.#unsubscribe !== undefined) {
      this.#sent = text;
      this.#listener(task);
    }
    if (isTerminal(task.status)) this.stop();
  }
}
