import type { Call, CallOrigin } from "../calls/call.ts";
import type { Observers } from "../calls/observe.ts";
import type { Principal } from "../calls/principal.ts";
import { UnexpectedFailure } from "../calls/run-middleware.ts";
import type { Later, RecordChange, RecordChanged } from "../cluster/store.ts";
import { type ErrorObject, RpcError } from "../protocol/errors.ts";
import type { JsonObject, Wire } from "../protocol/messages.ts";
import type { LogLevel } from "../protocol/model.ts";
import type { Question } from "../questions/question.ts";
import { answer } from "../server/dispatch.ts";
import { whenReady } from "../support/when-ready.ts";
import { runTool } from "../tools/methods.ts";
import type { TaskEngine } from "./engine.ts";
import { persist } from "./persist.ts";
import { ProgressWriter } from "./progress.ts";
import { JOURNAL, keyOf, type TaskQuestion } from "./record.ts";
import { createCall, type RunStart, resultOf } from "./run-call.ts";
import { type TaskJournal, TaskRounds } from "./task-rounds.ts";

const PARKED = { resultType: "input_required" };

/**
 * One run of a task: a call of the tool without a client. Each of its writes is refused once another run has taken the
 * epoch; the run is then left behind, as a question leaves one behind: its promises never settle.
 */
export class TaskRun implements CallOrigin, TaskJournal {
  readonly id: string;
  readonly round: number;
  readonly transport;
  readonly principal: Principal | undefined;
  readonly session = undefined;
  protected readonly engine: TaskEngine;
  protected readonly start: RunStart;
  readonly #epoch: string;
  readonly #call: Call;
  protected readonly rounds: TaskRounds;
  readonly #progress: ProgressWriter;
  readonly #ttl: number;
  #asked: number;
  #entries: number;
  #over = false;
  #settle: ((error?: unknown) => void) | undefined;
  #beat: ReturnType<typeof setInterval> | undefined;

  constructor(engine: TaskEngine, start: RunStart) {
    const { id, fields, head, source, log } = start;
    this.engine = engine;
    this.start = start;
    this.id = id;
    this.#epoch = fields.epoch as string;
    this.round = Number(this.#epoch) - 1;
    this.#asked = Number(fields.asked ?? 0);
    this.#entries = Object.keys(fields).filter((name) => name.startsWith(JOURNAL)).length;
    this.#ttl = Number(fields.ttl);
    this.transport = source.transport;
    const { scopes } = source;
    this.principal = head.owner === null ? undefined : { id: head.owner, ...(scopes === undefined ? {} : { scopes }) };
    this.#call = createCall(engine.server, this, start);
    this.rounds = new TaskRounds(this.#call, log, this);
    this.#call.questions = this.rounds;
    this.#progress = new ProgressWriter((text) => this.#writeMessage(text));
  }

  /** The observers that see this run. */
  protected get observers(): Observers | undefined {
    return this.engine.server.observers;
  }

  get taskId(): string | undefined {
    return this.id;
  }

  /** It is a task already. */
  async promote(): Promise<void> {}

  /** Resolves when the run has ended. @throws if another run must continue: the store is out of reach, or the node stops. */
  run(signal: AbortSignal): Promise<void> {
    const { tool, source } = this.start;
    const { observers } = this;
    const work = async (call: Call) => {
      try {
        return await runTool(call, tool, source.arguments, false);
      } catch (error) {
        // There is no middleware around a run that could want the exception itself.
        if (error instanceof UnexpectedFailure) return error.result;
        throw error;
      }
    };
    this.startBeat(this.#ttl / 3);
    const handOver = () => this.#handOver();
    return new Promise<void>((resolve, reject) => {
      this.#settle = (error) => {
        if (this.#settle === undefined) return;
        this.#settle = undefined;
        this.#over = true;
        clearInterval(this.#beat);
        this.#progress.stop();
        signal.removeEventListener("abort", handOver);
        if (error === undefined) resolve();
        else reject(error);
      };
      if (signal.aborted) return handOver();
      signal.addEventListener("abort", handOver, { once: true });
      answer(this.#call, observers === undefined ? work : (call) => observers.observe(call, () => work(call)));
    });
  }

  /** Looks whether this is still the run of the task: a message about it may have been lost. */
  async check(): Promise<void> {
    const fields = await this.engine.store.read(keyOf(this.id), ["epoch"]);
    if (fields?.epoch !== this.#epoch) this.abandon("Another run of the task has taken over, or it was cancelled.");
  }

  /** Leaves the run behind: the task was cancelled, or another run has taken over. */
  abandon(reason: string, error?: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.rounds.abandon();
    this.#call.ignoreHandler();
    this.#call.cancel(reason);
    this.#settle?.(error);
  }

  /** Records an answer or a step before the handler gets it. */
  record(operation: string, json: string): Later<void> {
    const { limits } = this.engine;
    const { log } = this.rounds;
    if (log.text.length + json.length > limits.taskJournal) {
      return this.#fail(`The steps of the task exceed ${limits.taskJournal} characters (limits.taskJournal).`);
    }
    if (++this.#entries > limits.taskEntries) {
      return this.#fail(`The task has more than ${limits.taskEntries} answers and steps (limits.taskEntries).`);
    }
    const field = JOURNAL + operation;
    return whenReady(this.engine.vault.seal(this.id, field, json), (sealed) =>
      whenReady(this.#write({ setOnce: { [field]: sealed }, set: { idle: "0" } }), () => {
        this.engine.counters.steps++;
        log.add(operation, json);
      }),
    );
  }

  /** Keeps the questions in the record and ends the run. */
  async park(asked: ReadonlyMap<string, Question>): Promise<object> {
    const { vault, limits } = this.engine;
    if (asked.size > limits.taskQuestions) {
      throw new RpcError(
        "internal_error",
        `The task asked ${asked.size} questions at once; the limit is ${limits.taskQuestions} (limits.taskQuestions).`,
      );
    }
    const questions = [...asked].map(([operation, { method, params, schema }]): TaskQuestion => {
      return { key: `q${++this.#asked}`, operation, method, params, schema };
    });
    const message = this.#progress.latest;
    const set = {
      status: "input_required",
      questions: await vault.seal(this.id, "questions", JSON.stringify(questions)),
      asked: String(this.#asked),
      idle: "0",
      ...(message === undefined ? {} : { message: await vault.seal(this.id, "message", message) }),
    };
    await this.#write({ set, remove: ["lease", "beat"], stamp: ["updated"], durable: true });
    this.engine.changed(this.id);
    this.#settle?.();
    return PARKED;
  }

  progress(done: number, total: number | undefined, message: string | undefined): void {
    if (!this.#over) this.#progress.report(message ?? (total === undefined ? String(done) : `${done} of ${total}`));
  }

  log(level: LogLevel, data: unknown, logger: string | undefined): void {
    const shown =
      level === "debug" || level === "notice" ? "info" : level === "warning" || level === "info" ? level : "error";
    const text = typeof data === "string" ? data : "A task logged a message";
    this.engine.server.log({
      level: shown,
      message: text,
      name: this.start.tool.name,
      ...(typeof data === "string" ? {} : { data }),
      ...(logger === undefined ? {} : { logger }),
    });
  }

  /** Nobody listens: `progress` and `log` go to the record and to the log of the server. */
  notify(_call: Call, _text: string): void {}

  /** The handler has ended: with a result, an error, or because it asked. */
  respond(_call: Call, wire: Wire, error?: ErrorObject): void {
    if (this.#over) return;
    const ended = error === undefined ? this.#complete(resultOf(wire)) : this.#failed(error);
    ended.then(
      () => this.#settle?.(),
      (thrown) => this.abandon("The store is out of reach.", thrown),
    );
  }

  async #complete(result: JsonObject): Promise<void> {
    const { taskResult } = this.engine.limits;
    const json = JSON.stringify(result);
    if (json.length <= taskResult) return this.#end("completed", "result", json);
    const message = `The result of the task exceeds ${taskResult} characters (limits.taskResult).`;
    return this.#failed({ code: -32603, message });
  }

  #failed(error: ErrorObject): Promise<void> {
    return this.#end("failed", "error", JSON.stringify(error), error.message);
  }

  async #end(status: "completed" | "failed", field: string, json: string, message?: string): Promise<void> {
    const change = await this.engine.ending(this.id, status, field, json, message);
    await this.#write(change);
    this.engine.ended(this.id, this.start.head, this.start.fields, status);
  }

  /** Changes the record, if this is still its run. Otherwise the run is left behind, and the result never comes. */
  #write(change: RecordChange): Later<void> {
    // Questions and ends are written once: if the reply is lost, a client may have seen them, and answered, which moves the
    // leg. A step that is written again changes nothing.
    const state = change.setOnce === undefined ? { status: "working", leg: this.start.fields.leg } : {};
    const whole = { ...change, if: { epoch: this.#epoch, ...state }, expire: this.#ttl, returning: ["epoch"] };
    const written = persist(
      () => this.engine.store.change(keyOf(this.id), whole),
      () => this.#over,
    );
    const check = ({ fields }: RecordChanged): Later<void> => {
      // Nobody else writes with this epoch, so the record has the change already.
      if (fields.epoch === this.#epoch) return;
      this.engine.counters.refused++;
      this.abandon("Another run of the task has taken over.");
      return new Promise(() => {});
    };
    if (!(written instanceof Promise)) return check(written);
    return written.then(check, (error) => {
      // Never a value that was not recorded: the queue wakes the task up again.
      this.abandon("The store is out of reach.", error);
      return new Promise(() => {});
    });
  }

  #fail(message: string): Promise<void> {
    this.rounds.abandon();
    this.#call.interrupt(new RpcError("internal_error", message));
    return new Promise(() => {});
  }

  async #writeMessage(text: string): Promise<void> {
    if (this.#over) return;
    const message = await this.engine.vault.seal(this.id, "message", text);
    await this.#write({ set: { message }, stamp: ["updated"] });
    this.engine.changed(this.id);
  }

  /** Extends the life of the record now and then: a long run must not outlive it. */
  protected startBeat(interval: number): void {
    const extend = () => void this.#write({ stamp: ["beat"] });
    clearInterval(this.#beat);
    this.#beat = setInterval(extend, Math.min(interval, 2 ** 31 - 1));
    (this.#beat as { unref?: () => void }).unref?.();
  }

  /** The node stops: another one continues. That is no failure of the task. */
  async #handOver(): Promise<void> {
    const again = new Error("the node stops");
    try {
      await this.engine.store.change(keyOf(this.id), {
        if: { epoch: this.#epoch },
        set: { idle: "0" },
        returning: [],
      });
    } catch {
      // The next run counts as a restart.
    }
    this.abandon("The node stops.", again);
  }
}
