import type { Call, CallOrigin } from "../../calls/call.ts";
import type { Principal } from "../../calls/client.ts";
import { UnexpectedFailure } from "../../calls/middleware.ts";
import type { Question, RunningTask } from "../../calls/question.ts";
import type { Later, RecordFields } from "../../nodes/ports.ts";
import { type ErrorObject, RpcError } from "../../protocol/errors.ts";
import type { Wire } from "../../protocol/messages.ts";
import type { LogLevel } from "../../protocol/model.ts";
import { answer } from "../../server/dispatch.ts";
import { unref, whenReady } from "../../support/async.ts";
import { runTool } from "../../tools/methods.ts";
import type { TaskEngine } from "./engine.ts";
import { JOURNAL, keyOf, type TaskCall, type TaskHead, type TaskQuestion } from "./record.ts";
import { completeResult, createCall, ProgressWriter, type RunStart, TaskRounds, untilLateEnds } from "./run-call.ts";
import { RunWriter } from "./run-writer.ts";

/** Questions that a task asks at once. */
export const MAX_QUESTIONS = 64;
const PARKED = { resultType: "input_required" };

/**
 * One run of a task: a call of the tool without a client. Its writes are refused once another run has taken over; it is
 * then left behind, as a question leaves one behind: its promises never settle.
 */
export class TaskRun implements CallOrigin, RunningTask {
  readonly id: string;
  /** The number of runs before this one. */
  readonly round: number;
  readonly transport;
  readonly principal: Principal | undefined;
  readonly caller: string | undefined;
  readonly session = undefined;
  readonly engine: TaskEngine;
  readonly start: RunStart;
  readonly #writer: RunWriter;
  readonly #call: Call;
  readonly rounds: TaskRounds;
  readonly #progress: ProgressWriter;
  readonly #ttl: number;
  #asked: number;
  #entries: number;
  #over = false;
  /** Settles when the handler that outlived this run has ended. */
  late: Promise<void> | undefined;
  #ended: Promise<void> | undefined;
  #settle: ((error?: unknown) => void) | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;

  constructor(engine: TaskEngine, start: RunStart) {
    const { id, fields, head, source, log } = start;
    this.engine = engine;
    this.start = start;
    this.id = id;
    this.#writer = new RunWriter(engine, this, fields);
    this.round = Number(fields.epoch) - 1;
    this.#asked = Number(fields.asked ?? 0);
    this.#entries = Object.keys(fields).filter((name) => name.startsWith(JOURNAL)).length;
    this.#ttl = Number(fields.ttl);
    this.transport = source.transport;
    this.caller = head.caller ?? undefined;
    const { scopes } = source;
    this.principal = head.owner === null ? undefined : { id: head.owner, ...(scopes === undefined ? {} : { scopes }) };
    this.#call = createCall(engine.server, this, start);
    this.rounds = new TaskRounds(this.#call, log, this);
    this.#call.questions = this.rounds;
    this.#progress = new ProgressWriter((text) => this.#writeMessage(text));
  }

  /** Undefined as long as the call may still be answered without a task. */
  get taskId(): string | undefined {
    return this.id;
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** It is a task already. */
  async promote(): Promise<void> {}

  /** Resolves when the run has ended. @throws if another run must continue: the store is out of reach, or the node stops. */
  run(signal: AbortSignal): Promise<void> {
    const { tool, source } = this.start;
    // Before the task, the request is observed.
    const observers = this.taskId === undefined ? undefined : this.engine.server.observers;
    const work = async (call: Call) => {
      try {
        return await runTool(call, tool, source.arguments);
      } catch (error) {
        // There is no middleware around a run that could want the exception itself.
        if (error instanceof UnexpectedFailure) return error.result;
        throw error;
      }
    };
    if (this.taskId !== undefined) this.startHeartbeat(this.#ttl / 3);
    this.#ended = new Promise<void>((resolve, reject) => {
      this.#settle = (error) => {
        this.#settle = undefined;
        this.late = untilLateEnds(this.#call);
        this.#over = true;
        clearInterval(this.#heartbeat);
        this.#progress.stop();
        if (error === undefined) resolve();
        else reject(error);
      };
    });
    if (!signal.aborted)
      answer(this.#call, observers === undefined ? work : (call) => observers.observe(call, () => work(call)));
    return this.#untilEnd(signal);
  }

  /**
   * Continues this run for a newer delivery of its task to this node, if it can; the result is that of `run`. The queue took
   * the node for dead: it lost its lock while the event loop was blocked, or the queue was out of reach.
   */
  continueFor(fields: RecordFields, signal: AbortSignal): Promise<void> | undefined {
    return this.#writer.renew(fields) ? this.#untilEnd(signal) : undefined;
  }

  async #untilEnd(signal: AbortSignal): Promise<void> {
    const handOver = () => void this.#handOver();
    if (signal.aborted) handOver();
    else signal.addEventListener("abort", handOver, { once: true });
    try {
      await this.#ended;
    } finally {
      signal.removeEventListener("abort", handOver);
    }
  }

  /** Looks whether this run still counts: a message about it may have been lost. */
  async check(): Promise<void> {
    if (this.taskId !== undefined) await this.#writer.check();
  }

  /**
   * Leaves the run behind: the task was cancelled, or another run has taken over. With an error, the queue delivers the
   * task again.
   */
  abandon(reason: string, error?: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.rounds.abandon();
    this.#call.cancel(reason);
    this.#settle?.(error);
  }

  /** Records a step before the handler gets it, and returns the recorded value. */
  record(operation: string, json: string): Later<string> {
    const { limits } = this.engine;
    const { log } = this.rounds;
    if (log.text.length + json.length > limits.taskJournal) {
      return this.#fail(`The steps of the task exceed ${limits.taskJournal} characters (limits.taskJournal).`);
    }
    if (++this.#entries > limits.taskEntries) {
      return this.#fail(`The task has more than ${limits.taskEntries} answers and steps (limits.taskEntries).`);
    }
    return whenReady(this.#writer.entry(operation, json), (recorded) => {
      log.add(operation, recorded);
      return recorded;
    });
  }

  /** Keeps the questions in the record and ends the run. */
  async park(asked: ReadonlyMap<string, Question>): Promise<object> {
    const { sealer } = this.engine;
    if (asked.size > MAX_QUESTIONS) {
      throw new RpcError(
        "internal_error",
        `The task asked ${asked.size} questions at once; the limit is ${MAX_QUESTIONS}.`,
      );
    }
    const questions = [...asked].map(([operation, { method, params, schema }]): TaskQuestion => {
      return { key: `q${++this.#asked}`, operation, method, params, schema };
    });
    const message = this.#progress.latest;
    const set = {
      status: "input_required",
      questions: await sealer.seal(this.id, "questions", JSON.stringify(questions)),
      asked: String(this.#asked),
      idle: "0",
      ...(message === undefined ? {} : { message: await sealer.seal(this.id, "message", message) }),
    };
    await this.#writer.write({ set, remove: ["lease", "heartbeat"], stamp: ["updated"], durable: true });
    this.engine.changed(this.id);
    this.#settle?.();
    return PARKED;
  }

  progress(done: number, total: number | undefined, message: string | undefined): void {
    if (this.#over) return;
    this.#progress.report(message ?? (total === undefined ? String(done) : `${done} of ${total}`));
  }

  /** The call has become a task: its record shows the progress so far. */
  protected writeProgress(): void {
    if (this.#progress.latest !== undefined) this.#progress.report(this.#progress.latest);
  }

  log(level: LogLevel, data: unknown, logger: string | undefined): void {
    if (this.taskId === undefined) return;
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
  respond(call: Call, _wire: Wire, error?: ErrorObject, result?: object): void {
    if (this.#over) return;
    const ended = error === undefined ? this.#complete(completeResult(call, result as object)) : this.#failed(error);
    ended.then(
      () => this.#settle?.(),
      (thrown) => this.abandon("The store is out of reach.", thrown),
    );
  }

  async #complete(result: object): Promise<void> {
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
    await this.#writer.write(change);
    this.engine.ended(this.id, this.start.head, this.start.fields, status);
  }

  #fail(message: string): Promise<never> {
    this.rounds.abandon();
    this.#call.interrupt(new RpcError("internal_error", message));
    return this.rounds.suspend();
  }

  async #writeMessage(text: string): Promise<void> {
    if (this.#over || this.taskId === undefined) return;
    const message = await this.engine.sealer.seal(this.id, "message", text);
    await this.#writer.write({ set: { message }, stamp: ["updated"] });
    this.engine.changed(this.id);
  }

  /** Extends the life of the record now and then: a long run must not outlive it. */
  protected startHeartbeat(interval: number): void {
    const extend = () => void this.#writer.write({ stamp: ["heartbeat"] });
    clearInterval(this.#heartbeat);
    this.#heartbeat = unref(setInterval(extend, Math.min(interval, 2 ** 31 - 1)));
  }

  /** The node stops: another one continues. That is no failure of the task. */
  async #handOver(): Promise<void> {
    if (this.#over) return;
    const again = new Error("the node stops");
    try {
      // A run may have thrown the exception that ends the process: it counts, or it would end one process after the other.
      if (!this.engine.server.overrides.failing) await this.#writer.handOver();
    } catch {
      // The next run counts as a restart.
    }
    this.abandon("The node stops.", again);
  }
}

const UNREADABLE = "The record of the task cannot be read: its key was removed, or it was changed.";

/** Creates the run of a task, or ends the task if it cannot run. */
export async function prepareRun(engine: TaskEngine, id: string, fields: RecordFields): Promise<TaskRun | undefined> {
  const { server } = engine;
  const head = await engine.sealer.openJson<TaskHead>(id, "head", fields);
  const source = await engine.sealer.openJson<TaskCall>(id, "call", fields);
  const log = await engine.sealer.openJournal(id, fields);
  const tool = head && server.tools.get(head.tool);
  const { taskRuns } = engine.limits;
  let problem: string | undefined;
  if (head === undefined || source === undefined || log === undefined) problem = UNREADABLE;
  else if (tool === undefined) problem = "The tool of the task no longer exists.";
  // A heartbeat of no length would send a command each millisecond.
  else if (!(Number(fields.ttl) > 0) || server.revisions.get(source.revision) === undefined) problem = UNREADABLE;
  else if (Number(fields.idle) > taskRuns) {
    problem = `The task ended after ${taskRuns} runs without a new answer or step (limits.taskRuns).`;
  } else return new TaskRun(engine, { id, fields, head, source, log, tool });
  const error: ErrorObject = { code: -32603, message: problem };
  server.log({ level: "error", message: problem, ...(head && { name: head.tool }) });
  const change = await engine.ending(id, "failed", "error", JSON.stringify(error), problem);
  const { made } = await engine.store.change(keyOf(id), {
    ...change,
    if: { epoch: fields.epoch, lease: fields.lease },
    expire: Number(fields.ttl) || 0,
    returning: [],
  });
  if (made) engine.ended(id, head ?? { owner: null, caller: null, tool: "", given: [] }, head ? fields : {}, "failed");
  return undefined;
}
