import type { Call } from "../../calls/call.ts";
import { delayOf } from "../../calls/timeout.ts";
import { type ErrorObject, RpcError } from "../../protocol/errors.ts";
import type { Wire } from "../../protocol/messages.ts";
import type { LogLevel } from "../../protocol/model.ts";
import type { Question } from "../../questions/question.ts";
import { ReplayLog } from "../../questions/replay-log.ts";
import type { Tool } from "../../tools/define.ts";
import type { TaskSettings } from "../../tools/task-option.ts";
import { describeCall, newTaskId } from "./describe-call.ts";
import type { TaskEngine } from "./engine.ts";
import { UNQUEUED } from "./record.ts";
import { TaskRun } from "./run.ts";
import { completeResult } from "./run-call.ts";

/** A run that becomes a task on its way. */
export interface EarlyTask {
  readonly id: string;
  readonly lease: string;
  readonly log: ReplayLog;
}

/** Milliseconds between two signs of life. No queue watches this run: only they tell that its node is alive. */
const BEAT = 60_000;

/**
 * A run that begins before its task: its call is answered plainly if it ends in time. Otherwise, or with a question, the
 * record is created with everything that is known so far, and the same run goes on: nothing runs twice.
 */
export class EarlyRun extends TaskRun {
  readonly #creating: Call;
  readonly #abort = new AbortController();
  #promotion: Promise<void> | undefined;
  #isTask = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #answer: ((result: object) => void) | undefined;
  #refuse: ((error: unknown) => void) | undefined;

  constructor(engine: TaskEngine, call: Call, tool: Tool) {
    const fields = {
      epoch: "1",
      leg: UNQUEUED,
      lease: engine.newLease(),
      ttl: String((tool.task as TaskSettings).ttl),
    };
    const id = newTaskId();
    super(engine, { id, fields, ...describeCall(call, tool), log: new ReplayLog(), tool, meta: call.meta });
    this.#creating = call;
  }

  /** The result of the handler, or the task that it becomes. */
  race(after: number): Promise<object> {
    const { signal } = this.#creating;
    const cancelled = () => {
      if (!this.#isTask) this.abandon("The client cancelled the request.");
    };
    signal.addEventListener("abort", cancelled, { once: true });
    return new Promise<object>((resolve, reject) => {
      this.#answer = resolve;
      this.#refuse = reject;
      this.#timer = setTimeout(() => this.#timeUp(), delayOf(after));
      this.engine.runEarly(this.id, this, this.#abort.signal);
    }).finally(() => {
      clearTimeout(this.#timer);
      signal.removeEventListener("abort", cancelled);
    });
  }

  override get taskId(): string | undefined {
    return this.#isTask ? this.id : undefined;
  }

  /** The request is observed until it is answered. */
  protected override get observers(): undefined {
    return undefined;
  }

  /** Creates the record. At a limit, the call goes on plainly. */
  override promote(): Promise<void> {
    this.#promotion ??= this.#promote();
    return this.#promotion;
  }

  /** Hands a task over that no queue knows: the node stops. */
  async stop(): Promise<void> {
    this.#abort.abort();
    if (this.#isTask) await this.engine.wake(this.id, UNQUEUED);
  }

  /** Before the task there is no record that another run could have taken. */
  override async check(): Promise<void> {
    if (this.#isTask) await super.check();
  }

  override async record(operation: string, json: string): Promise<string> {
    // A step that ends while the record is created is not in it.
    await this.#promotion;
    if (this.#isTask) return super.record(operation, json);
    this.rounds.log.add(operation, json);
    return json;
  }

  override async park(asked: ReadonlyMap<string, Question>): Promise<object> {
    await this.promote();
    if (this.#isTask) return super.park(asked);
    throw new RpcError("busy", "The tool asks a question, which needs a task, but no task could be created.");
  }

  override progress(done: number, total: number | undefined, message: string | undefined): void {
    if (this.#isTask) super.progress(done, total, message);
  }

  override log(level: LogLevel, data: unknown, logger: string | undefined): void {
    if (this.#isTask) super.log(level, data, logger);
  }

  override notify(_call: Call, text: string): void {
    if (!this.#isTask) this.#creating.origin.notify(this.#creating, text);
  }

  override respond(call: Call, wire: Wire, error?: ErrorObject, result?: object): void {
    void this.#respond(call, wire, error, result);
  }

  /** Before the task there is no record to extend. */
  protected override startBeat(interval: number): void {
    if (this.#isTask) super.startBeat(interval);
  }

  #timeUp(): void {
    this.promote().catch((error) => {
      this.#refuse?.(error);
      this.abandon("The task could not be created.");
    });
  }

  async #respond(call: Call, wire: Wire, error?: ErrorObject, result?: object): Promise<void> {
    await this.#promotion?.catch(() => {});
    if (this.#isTask) return super.respond(call, wire, error, result);
    if (error === undefined) this.#answer?.(completeResult(call, result as object));
    else this.#refuse?.(new RpcError("internal_error", error.message, { code: error.code, data: error.data }));
    this.abandon("The call was answered.");
  }

  async #promote(): Promise<void> {
    clearTimeout(this.#timer);
    const { id, start } = this;
    const early = { id, lease: start.fields.lease as string, log: this.rounds.log };
    const created = await this.engine.createNow(this.#creating, start.tool, early);
    if (created === undefined) return;
    this.#isTask = true;
    this.startBeat(Math.min(BEAT, Number(this.start.fields.ttl) / 3));
    this.#answer?.(created);
  }
}
