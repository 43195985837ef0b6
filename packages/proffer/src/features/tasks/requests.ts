import type { Call } from "../../calls/call.ts";
import { neededFor } from "../../catalog/access.ts";
import type { RecordChange, RecordFields } from "../../nodes/ports.ts";
import { InsufficientScope, InvalidParams } from "../../protocol/errors.ts";
import { isObject, type JsonObject } from "../../protocol/messages.ts";
import { checkResponse } from "../../questions/requests.ts";
import type { Listening } from "../../resources/subscriptions.ts";
import { coalesce } from "../../support/async.ts";
import { covers } from "../../support/scope.ts";
import type { TaskEngine } from "./engine.ts";
import { type DetailedTask, detailedTask, isTerminal } from "./protocol.ts";
import { JOURNAL, keyOf, SHOWN, type TaskHead, type TaskQuestion, UNQUEUED } from "./record.ts";

/** The form of an id. Anything else is not looked up. */
const ID = /^[\w-]{24}$/;
/** A change that was always refused so often would never be made. */
const MAX_ATTEMPTS = 100;

/** A task that the caller may use. */
export interface FoundTask {
  readonly id: string;
  readonly head: TaskHead;
  readonly fields: RecordFields;
}

/** Answers one of the three methods. */
export async function serveRequest(engine: TaskEngine, call: Call): Promise<object> {
  const { taskId, inputResponses } = call.params;
  if (typeof taskId !== "string") throw new InvalidParams(`${call.method} needs params.taskId, a string.`);
  switch (call.method) {
    case "tasks/get":
      return getTask(engine, call, taskId);
    case "tasks/update":
      if (!isObject(inputResponses)) throw new InvalidParams("tasks/update needs params.inputResponses, an object.");
      return updateTask(engine, call, taskId, inputResponses);
    default:
      return cancelTask(engine, call, taskId);
  }
}

async function getTask(engine: TaskEngine, call: Call, taskId: string): Promise<DetailedTask> {
  const { id, fields } = await requireTask(engine, call, taskId);
  engine.wakeIfStalled(id, fields);
  return (await detailedTask(engine.sealer, id, fields)) ?? unknownTask();
}

/** Takes answers to questions of the task. Keys that are unknown or answered are ignored. */
export async function updateTask(
  engine: TaskEngine,
  call: Call,
  taskId: string,
  inputResponses: JsonObject,
): Promise<object> {
  const { id, fields } = await requireTask(engine, call, taskId);
  // The client may repeat answers whose wake-up failed. The queue ignores this one if it has one with that number.
  if (fields.status === "working" && fields.wakeup !== UNQUEUED) await engine.wake(id, fields.wakeup as string);
  else engine.wakeIfStalled(id, fields);
  await changeTask(
    engine,
    id,
    fields,
    (current) => answers(engine, id, current, inputResponses),
    async (stored) => {
      if (stored.status === "working") await engine.wake(id, stored.wakeup as string);
      engine.changed(id);
    },
  );
  return {};
}

/** The change that records answers; undefined if none of them answers a question. @throws {InvalidParams} */
async function answers(
  engine: TaskEngine,
  id: string,
  fields: RecordFields,
  given: JsonObject,
): Promise<RecordChange | undefined> {
  const { sealer } = engine;
  if (fields.status !== "input_required") return undefined;
  const questions = await sealer.openJson<TaskQuestion[]>(id, "questions", fields);
  if (questions === undefined) unknownTask();
  const answered = questions.filter(({ key }) => Object.hasOwn(given, key));
  if (answered.length === 0) return undefined;
  const setOnce: Record<string, string> = {};
  for (const { key, operation, method, schema } of answered) {
    const answer = checkResponse(method, given[key], schema, `params.inputResponses.${key}`);
    const field = JOURNAL + operation;
    setOnce[field] = await sealer.seal(id, field, JSON.stringify(answer));
  }
  const rest = questions.filter((question) => !answered.includes(question));
  const same = { status: "input_required", questions: fields.questions };
  if (rest.length > 0) {
    const left = await sealer.seal(id, "questions", JSON.stringify(rest));
    return { if: same, setOnce, set: { questions: left, idle: "0" } };
  }
  const wakeup = String(Number(fields.wakeup) + 1);
  return { if: same, setOnce, set: { status: "working", wakeup, idle: "0" }, remove: ["questions"] };
}

export async function cancelTask(engine: TaskEngine, call: Call, taskId: string): Promise<object> {
  const { id, head, fields } = await requireTask(engine, call, taskId);
  let lease: string | undefined;
  const change = async (current: RecordFields): Promise<RecordChange | undefined> => {
    if (isTerminal(current.status)) return undefined;
    lease = current.lease;
    // The epoch moves, so that a result which comes too late is refused.
    const { status, epoch } = current;
    return { ...(await engine.ending(id, "cancelled")), if: { status, epoch }, add: { epoch: 1 } };
  };
  await changeTask(engine, id, fields, change, ({ status }) => {
    if (status !== "cancelled") return;
    engine.cancelRun(id, lease);
    engine.ended(id, head, fields, "cancelled");
  });
  return {};
}

/** Makes a change that depends on the record, again if somebody else was faster. */
async function changeTask(
  engine: TaskEngine,
  id: string,
  found: RecordFields,
  toChange: (fields: RecordFields) => Promise<RecordChange | undefined>,
  made: (fields: RecordFields) => void | Promise<void>,
): Promise<void> {
  let fields = found;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const change = await toChange(fields);
    // After a lost reply, or a faster request, the record may have the change already; then the rest is repeated.
    if (change === undefined) return attempt === 0 ? undefined : made(fields);
    const whole = { ...change, stamp: ["updated"], expire: Number(fields.ttl), returning: SHOWN, durable: true };
    const changed = await engine.store.change(keyOf(id), whole);
    if (changed.made) return made(changed.fields);
    if (changed.fields.head === undefined) unknownTask();
    fields = changed.fields;
  }
  throw new Error("a task changed too often");
}

async function requireTask(engine: TaskEngine, call: Call, taskId: string): Promise<FoundTask> {
  return (await findTask(engine, call, taskId)) ?? unknownTask();
}

/**
 * Finds a task of the caller, if the caller may still use its tool. One that does not exist and one of another
 * caller make no difference. @throws {InsufficientScope}
 */
export async function findTask(engine: TaskEngine, call: Call, id: string): Promise<FoundTask | undefined> {
  const fields = ID.test(id) ? await engine.store.read(keyOf(id), SHOWN) : undefined;
  const head = fields && (await engine.sealer.openJson<TaskHead>(id, "head", fields));
  if (fields === undefined || head === undefined || !mayUse(call, head)) return undefined;
  return { id, head, fields };
}

function mayUse(call: Call, { owner, tool: name, given }: TaskHead): boolean {
  if (owner !== (call.origin.principal?.id ?? null)) return false;
  const access = call.server.access;
  const tool = call.server.tools.get(name);
  // A tool that was removed: its tasks still have to end for their clients.
  if (access === undefined || tool === undefined) return true;
  if (!access.sees(call, tool)) return false;
  const needed = neededFor({ item: tool, given: Object.fromEntries(given.map((argument) => [argument, true])) });
  if (needed.length > 0 && !covers(call.origin, needed)) throw new InsufficientScope(call.method, needed);
  return true;
}

/** One text for all: whether an id exists is nobody else's business. */
export const UNKNOWN_TASK = "Unknown task: it does not exist, has expired, or belongs to another caller.";

function unknownTask(): never {
  throw new InvalidParams(UNKNOWN_TASK);
}

/** Serves the tasks of a subscription, and leaves out those that the caller may not read. @throws {InvalidParams} */
export async function watchTasks(
  engine: TaskEngine,
  call: Call,
  given: unknown,
  report: (task: DetailedTask) => void,
): Promise<Listening> {
  const { subscriptions } = call.server.limits;
  if (!Array.isArray(given) || !given.every((id) => typeof id === "string"))
    throw new InvalidParams("params.notifications.taskIds must be an array of task ids.");
  if (given.length > subscriptions)
    throw new InvalidParams(`Too many subscriptions: the limit is ${subscriptions} tasks per client.`);
  const taskIds: string[] = [];
  for (const id of new Set<string>(given)) if ((await findTask(engine, call, id)) !== undefined) taskIds.push(id);
  const start = () => {
    const stops = taskIds.map((id) => watchTask(engine, call, id, report));
    return () => {
      for (const stop of stops) stop();
    };
  };
  return { acknowledged: { taskIds }, start };
}

/** Reports one task until it has ended, or the returned function is called. */
function watchTask(engine: TaskEngine, call: Call, id: string, report: (task: DetailedTask) => void): () => void {
  let sent = "";
  let isOver = false;
  const stop = () => {
    isOver = true;
    unsubscribe();
  };
  const check = async () => {
    const found = await findTask(engine, call, id);
    const task = found && (await detailedTask(engine.sealer, id, found.fields));
    if (found === undefined || task === undefined) return stop();
    engine.wakeIfStalled(id, found.fields);
    // The interval depends on the time of the reading.
    const { pollIntervalMs: _, ...rest } = task;
    const text = JSON.stringify(rest);
    if (text !== sent && !isOver) {
      sent = text;
      report(task);
    }
    if (isTerminal(task.status)) stop();
  };
  const read = coalesce(async () => {
    if (!isOver) await check().catch((error) => engine.server.logError(call, "A task could not be read", error));
  });
  // Before it reads: a change in between is read twice, and never lost.
  const unsubscribe = engine.bus.subscribe(`task ${id}`, { heard: () => void read(), missed: () => void read() });
  void read();
  return stop;
}
