import type { Call } from "../../calls/call.ts";
import { Busy } from "../../protocol/errors.ts";
import { Replay } from "../../questions/replay.ts";
import { ReplayLog } from "../../questions/replay-log.ts";
import type { Tool } from "../../tools/define.ts";
import type { TaskSettings } from "../../tools/task-option.ts";
import { describeCall, newTaskId } from "./describe-call.ts";
import type { EarlyTask } from "./early-run.ts";
import type { TaskEngine } from "./engine.ts";
import type { CreatedTask } from "./protocol.ts";
import { keyOf, SHOWN, UNQUEUED } from "./record.ts";
import type { RequestTime } from "./request-times.ts";
import { createdTask } from "./view.ts";

/** The creation of one task: first the record, then the wake-up, then the answer. */
export class Creation {
  /** The wake-up was sent, and the task was not withdrawn: it may run, whatever the outcome seems to be. */
  mayRun = false;
  readonly #engine: TaskEngine;
  readonly #call: Call;
  readonly #tool: Tool;
  readonly #settings: TaskSettings;
  readonly #early: EarlyTask | undefined;
  readonly #id: string;
  readonly #slot: string;
  readonly #epoch: string;

  constructor(engine: TaskEngine, call: Call, tool: Tool, early?: EarlyTask) {
    this.#engine = engine;
    this.#call = call;
    this.#tool = tool;
    this.#settings = tool.task as TaskSettings;
    this.#early = early;
    this.#id = early?.id ?? newTaskId();
    this.#slot = engine.quota.slotOf(this.#settings.ttl);
    this.#epoch = early === undefined ? "0" : "1";
  }

  /** Returns undefined at a limit. If it throws, and `mayRun` is false, the task has no effect. */
  async create(time: RequestTime): Promise<CreatedTask | undefined> {
    const created = await this.#write();
    if (created === undefined) return undefined;
    try {
      if (!time.isOver && this.#early === undefined) {
        this.mayRun = true;
        await this.#engine.wake(this.#id, "1");
      }
      if (time.isOver) throw new Error("the request was answered without its task");
    } catch (error) {
      // A wake-up that failed may be delivered nevertheless: the command was executed after its time.
      if (!(await this.#withdraw())) return created;
      this.mayRun = false;
      throw error;
    }
    return created;
  }

  /** Creates the record and counts the task: together, to save a round trip. */
  async #write(): Promise<CreatedTask | undefined> {
    const { store, vault, quota, limits } = this.#engine;
    const settings = this.#settings;
    const id = this.#id;
    const { head, source } = describeCall(this.#call, this.#tool);
    const { questions } = this.#call;
    // The answers and steps of earlier rounds are the first entries.
    const log = this.#early?.log ?? (questions instanceof Replay ? questions.log : new ReplayLog());
    const fields = {
      ...{ epoch: this.#epoch, status: "working", idle: "0", slot: this.#slot },
      ...(this.#early === undefined ? { leg: "1" } : { leg: UNQUEUED, lease: this.#early.lease }),
      ...{ ttl: String(settings.ttl), poll: String(settings.pollInterval) },
      head: await vault.seal(id, "head", JSON.stringify(head)),
      call: await vault.seal(id, "call", JSON.stringify(source)),
      ...(await vault.sealJournal(id, log)),
    };
    const writing = async () =>
      store.change(keyOf(id), {
        if: { head: undefined },
        set: fields,
        stamp: ["created", "updated"],
        expire: settings.ttl,
        returning: SHOWN,
        durable: true,
      });
    const [written, counted] = await Promise.allSettled([writing(), quota.take(head.owner, this.#slot, settings.ttl)]);
    if (written.status === "rejected") {
      // Nobody knows the id, so a record that was written nevertheless has no effect.
      if (counted.status === "fulfilled" && counted.value) this.#uncount();
      throw written.reason;
    }
    if (counted.status === "rejected" || !counted.value) {
      await store.remove(keyOf(id));
      if (counted.status === "rejected") throw counted.reason;
      if (!settings.required) return undefined;
      throw new Busy(`This caller has ${limits.tasks} tasks (limits.tasks). Try again later.`, 60);
    }
    const { made, fields: stored } = written.value;
    // After a lost reply the store finds our own record.
    if (!made && stored.head !== fields.head) throw new Error("the id of a task is taken");
    return createdTask(id, stored);
  }

  /** Removes the record, unless a run has begun. Returns whether no run can begin any more. */
  async #withdraw(): Promise<boolean> {
    const { made, fields } = await this.#engine.store.change(keyOf(this.#id), {
      if: { epoch: this.#epoch },
      // Not a new value: a store that is full accepts removals only.
      expire: 0,
      returning: ["epoch"],
      durable: true,
    });
    if (!made && fields.epoch !== undefined) return false;
    this.#uncount();
    return true;
  }

  #uncount(): void {
    const { principal } = this.#call.origin;
    this.#engine.quota.release(principal?.id ?? null, this.#slot).catch(() => {});
  }
}
