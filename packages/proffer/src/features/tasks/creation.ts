import type { Call } from "../../calls/call.ts";
import { callerOf } from "../../calls/caller.ts";
import type { Question } from "../../calls/question.ts";
import { delayOf } from "../../calls/timeout.ts";
import { Busy, type ErrorObject, RpcError } from "../../protocol/errors.ts";
import type { Wire } from "../../protocol/messages.ts";
import type { ClientCapabilities } from "../../protocol/model.ts";
import type { Revision } from "../../protocol/revisions/revision.ts";
import { Replay, ReplayLog } from "../../questions/replay.ts";
import { randomText } from "../../support/bytes.ts";
import { defined } from "../../support/objects.ts";
import type { TaskSettings, Tool } from "../../tools/define.ts";
import type { RequestTime, TaskEngine } from "./engine.ts";
import { type CreatedTask, createdTask } from "./protocol.ts";
import { keyOf, SHOWN, type TaskCall, type TaskHead, UNQUEUED } from "./record.ts";
import { TaskRun } from "./run.ts";
import { completeResult } from "./run-call.ts";

/** A task that is being created. */
interface Draft {
  readonly id: string;
  readonly slot: string;
  readonly epoch: string;
  /** The run that becomes the task; without it, a wake-up begins the first run. */
  readonly early: EarlyRun | undefined;
}

/**
 * Creates a task: first the record, then the wake-up, then the answer. Returns undefined if the call may go on plainly: at
 * a limit, or if the task could not be created.
 */
export async function createTask(
  engine: TaskEngine,
  call: Call,
  tool: Tool,
  early?: EarlyRun,
): Promise<CreatedTask | undefined> {
  const { ttl, required } = tool.task as TaskSettings;
  const epoch = early === undefined ? "0" : "1";
  const draft: Draft = { id: early?.id ?? randomText(ID_BYTES), slot: engine.quota.slotOf(ttl), epoch, early };
  /** The wake-up was sent, and the task was not withdrawn: it may run, whatever the outcome seems to be. */
  let mayRun = false;
  const create = async (time: RequestTime): Promise<CreatedTask | undefined> => {
    const created = await writeRecord(engine, call, tool, draft);
    if (created === undefined) return undefined;
    try {
      if (!time.isOver && early === undefined) {
        mayRun = true;
        await engine.wake(draft.id, "1");
      }
      if (time.isOver) throw new Error("the request was answered without its task");
    } catch (error) {
      // A wake-up that failed may be delivered nevertheless: the command was executed after its time.
      if (!(await withdraw(engine, call, draft))) return created;
      mayRun = false;
      throw error;
    }
    return created;
  };
  try {
    const created = await engine.inTime(create);
    if (created !== undefined) engine.counters.created++;
    return created;
  } catch (error) {
    // A call that ran plainly beside its task would have its effects twice.
    if (required || mayRun) {
      if (error instanceof RpcError && error.kind === "busy") throw error;
      throw new RpcError("internal_error", "The task could not be created.", { cause: error });
    }
    engine.server.logError(call, "The task could not be created, so the call runs without one", error);
    return undefined;
  }
}

/** Creates the record and counts the task: together, to save a round trip. Returns undefined at a limit. */
async function writeRecord(engine: TaskEngine, call: Call, tool: Tool, draft: Draft): Promise<CreatedTask | undefined> {
  const { store, sealer, quota, limits } = engine;
  const { id, slot, epoch, early } = draft;
  const { ttl, pollInterval, required } = tool.task as TaskSettings;
  const { head, source } = early?.start ?? describeCall(call, tool);
  // The answers and steps of earlier rounds are the first entries.
  const log = early?.rounds.log ?? (call.questions instanceof Replay ? call.questions.log : new ReplayLog());
  const fields = {
    ...{ epoch, status: "working", idle: "0", slot },
    ...(early === undefined ? { wakeup: "1" } : { wakeup: UNQUEUED, lease: early.start.fields.lease as string }),
    ...{ ttl: String(ttl), poll: String(pollInterval) },
    head: await sealer.seal(id, "head", JSON.stringify(head)),
    call: await sealer.seal(id, "call", JSON.stringify(source)),
    ...(await sealer.sealJournal(id, log)),
  };
  const writing = async () =>
    store.change(keyOf(id), {
      if: { head: undefined },
      set: fields,
      stamp: ["created", "updated"],
      expire: ttl,
      returning: SHOWN,
      durable: true,
    });
  const [written, counted] = await Promise.allSettled([writing(), quota.take(head.caller, slot, ttl)]);
  if (written.status === "rejected") {
    // Nobody knows the id, so a record that was written nevertheless has no effect.
    if (counted.status === "fulfilled" && counted.value) uncount(engine, call, slot);
    throw written.reason;
  }
  if (counted.status === "rejected" || !counted.value) {
    await store.remove(keyOf(id));
    if (counted.status === "rejected") throw counted.reason;
    if (!required) return undefined;
    throw new Busy(`This caller has ${limits.tasks} tasks (limits.tasks). Try again later.`, 60);
  }
  const { made, fields: stored } = written.value;
  // After a lost reply the store finds our own record.
  if (!made && stored.head !== fields.head) throw new Error("the id of a task is taken");
  return createdTask(id, stored);
}

/** Removes the record, unless a run has begun. Returns whether no run can begin any more. */
async function withdraw(engine: TaskEngine, call: Call, { id, slot, epoch }: Draft): Promise<boolean> {
  // No new value: a store that is full accepts removals only.
  const change = { if: { epoch }, expire: 0, returning: ["epoch"], durable: true };
  const { made, fields } = await engine.store.change(keyOf(id), change);
  if (!made && fields.epoch !== undefined) return false;
  uncount(engine, call, slot);
  return true;
}

function uncount({ quota }: TaskEngine, { origin }: Call, slot: string): void {
  quota.release(callerOf(origin) ?? null, slot).catch(() => {});
}

/** The id may serve as a bearer token, so it cannot be guessed. It must fit into the header `Mcp-Name`. */
const ID_BYTES = 18;

/** The parts of its call that a task keeps. */
function describeCall(
  call: Call,
  tool: Tool,
  revision = call.revision,
): { readonly head: TaskHead; readonly source: TaskCall } {
  const { principal, transport } = call.origin;
  const given = (call.params.arguments ?? {}) as TaskCall["arguments"];
  return {
    head: {
      owner: principal?.id ?? null,
      caller: callerOf(call.origin) ?? null,
      tool: tool.name,
      given: Object.keys(given),
    },
    source: {
      arguments: given,
      chain: call.chain,
      revision: (revision ?? call.revision).version,
      transport,
      client: call.client.info,
      capabilities: revision === undefined ? call.client.capabilities : answerable(call),
      scopes: principal?.scopes,
    },
  };
}

/** The capabilities of a client, without the questions that its revision does not have. */
function answerable({ client, revision: { inputs } }: Call): ClientCapabilities {
  const { elicitation, sampling, roots, ...others } = client.capabilities;
  return defined({
    ...others,
    elicitation: inputs.has("elicitation/create") ? elicitation : undefined,
    sampling: inputs.has("sampling/createMessage") ? sampling : undefined,
    roots: inputs.has("roots/list") ? roots : undefined,
  });
}

/** The newest revision in which a call can be a task. */
function newestRevision({ server, revision }: Call): Revision {
  const { revisions } = server;
  return revisions.stateless.map((version) => revisions.get(version)).findLast((each) => each?.extensions) ?? revision;
}

/** Milliseconds between two signs of life. No queue watches this run: only they show that its node is alive. */
const HEARTBEAT = 60_000;

/**
 * A run that begins before its task: its call is answered plainly if it ends in time. Otherwise, or with a question, the
 * record is created with everything that is known so far, and the same run goes on: nothing runs twice.
 */
export class EarlyRun extends TaskRun {
  readonly #request: Call;
  readonly #abort = new AbortController();
  #promotion: Promise<void> | undefined;
  #isTask = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #answer: ((result: object) => void) | undefined;
  #refuse: ((error: unknown) => void) | undefined;

  /** A polled run speaks the newest revision, whose questions can wait. */
  constructor(engine: TaskEngine, call: Call, tool: Tool, isPolled = false) {
    const fields = {
      epoch: "1",
      wakeup: UNQUEUED,
      lease: engine.newLease(),
      ttl: String((tool.task as TaskSettings).ttl),
    };
    const id = randomText(ID_BYTES);
    const described = describeCall(call, tool, isPolled ? newestRevision(call) : undefined);
    super(engine, { id, fields, ...described, log: new ReplayLog(), tool, meta: call.meta });
    this.#request = call;
  }

  /** The result of the handler, or the task that it becomes: also if the client gives up, if the run shall go on then. */
  race(after: number, goesOn = false): Promise<object> {
    const { signal } = this.#request;
    const cancelled = () => {
      if (this.#isTask) return;
      if (goesOn) this.#timeUp();
      else {
        this.abandon("The client cancelled the request.");
        this.#request.lateHandler = this.late;
      }
    };
    signal.addEventListener("abort", cancelled, { once: true });
    return new Promise<object>((resolve, reject) => {
      this.#answer = resolve;
      this.#refuse = reject;
      this.#timer = setTimeout(() => this.#timeUp(), delayOf(after));
      this.engine.runEarly(this, this.#abort.signal);
    }).finally(() => {
      clearTimeout(this.#timer);
      signal.removeEventListener("abort", cancelled);
    });
  }

  override get taskId(): string | undefined {
    return this.#isTask ? this.id : undefined;
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

  override notify(_call: Call, text: string): void {
    if (!this.#isTask) this.#request.origin.notify(this.#request, text);
  }

  override respond(call: Call, wire: Wire, error?: ErrorObject, result?: object): void {
    void this.#respond(call, wire, error, result);
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
    const created = await createTask(this.engine, this.#request, this.start.tool, this);
    if (created === undefined) return;
    this.#isTask = true;
    this.writeProgress();
    this.startHeartbeat(Math.min(HEARTBEAT, Number(this.start.fields.ttl) / 3));
    this.#answer?.(created);
  }
}
