import type { Call } from "../../calls/call.ts";
import type { InputMethod } from "../../calls/question.ts";
import { delayOf } from "../../calls/timeout.ts";
import { secretDigest } from "../../nodes/quota.ts";
import { ERRORS, type RpcError } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/messages.ts";
import type { CallResult, ClientCapabilities } from "../../protocol/model.ts";
import { CallContext, type Context } from "../../questions/context.ts";
import { questionsOf } from "../../questions/rounds.ts";
import { failureResult } from "../../results/return-value.ts";
import { toCanonical } from "../../schema/json-schema/equality.ts";
import { defined } from "../../support/objects.ts";
import type { TaskSettings, Tool } from "../../tools/define.ts";
import { convertResult } from "../../tools/methods.ts";
import { EarlyRun } from "./creation.ts";
import type { TaskEngine } from "./engine.ts";
import { type DetailedTask, detailedTask, isTerminal, TASKS } from "./protocol.ts";
import type { TaskQuestion } from "./record.ts";
import { cancelTask, type FoundTask, findTask, UNKNOWN_TASK, updateTask } from "./requests.ts";

const [TASKS_NAME] = Object.keys(TASKS.extensions) as [string];

/**
 * Calls a tool for a client that polls: gives the plain result if it comes soon, else the id of the task, which is the same
 * run. At a limit, the call goes on plainly.
 */
export function callPolled(engine: TaskEngine, call: Call, tool: Tool, wait: number): Promise<object> {
  engine.prepare(call);
  // So that a question of the task can end this round of the call.
  return call.outcome(
    begin(engine, call, tool, wait),
    (result) => result as object,
    (error) => {
      throw error;
    },
  );
}

async function begin(engine: TaskEngine, call: Call, tool: Tool, wait: number): Promise<CallResult> {
  const abandoned = new AbandonedCall(engine, call, tool);
  const ctx = new CallContext(call);
  const until = Date.now() + wait;
  let plain: CallResult | undefined;
  // In a later round, with the answer to a question of the task, this is the task of the first one.
  const id = await ctx.step("task", async () => {
    const known = await abandoned.take();
    if (known !== undefined) return known;
    const run = new EarlyRun(engine, call, tool, true);
    const result = await run.race(wait, abandoned.canBeRepeated).catch((error) => olderError(call, error));
    if (!("resultType" in result && result.resultType === "task")) {
      plain = result as CallResult;
      return "";
    }
    if (call.signal.aborted) await abandoned.keep(run.id);
    return run.id;
  });
  if (plain !== undefined) return resultOf(call, tool.name, plain);
  const keep = () => void abandoned.keep(id);
  call.signal.addEventListener("abort", keep, { once: true });
  try {
    return await follow(engine, call, id, wait, ctx, until);
  } finally {
    call.signal.removeEventListener("abort", keep);
  }
}

/** Revisions without an error for a missing capability report it as a failure of the tool. @throws all other errors */
function olderError({ revision }: Call, error: unknown): CallResult {
  if (revision.capabilityErrors || (error as RpcError).code !== ERRORS.missing_capability) throw error;
  return failureResult((error as RpcError).message);
}

/**
 * A call that its client gave up before it got the id of the task: the same call of the same caller continues the task,
 * instead of doing the work twice. It belongs to the principal or the session, never to an address.
 */
class AbandonedCall {
  readonly #engine: TaskEngine;
  readonly #call: Call;
  readonly #tool: Tool;
  /** Who may repeat the call; undefined if nobody can be recognized. */
  readonly #owner: string | undefined;

  constructor(engine: TaskEngine, call: Call, tool: Tool) {
    const { principal, session, transport } = call.origin;
    this.#engine = engine;
    this.#call = call;
    this.#tool = tool;
    if (principal !== undefined) this.#owner = `id ${principal.id}`;
    else if (session !== undefined) this.#owner = `session ${session.id}`;
    else this.#owner = transport === "stdio" ? transport : undefined;
  }

  get canBeRepeated(): boolean {
    return this.#owner !== undefined;
  }

  async keep(id: string): Promise<void> {
    const { store, sealer, server } = this.#engine;
    try {
      const key = await this.#key();
      if (key === undefined) return;
      const set = { id: await sealer.seal(key, "id", id) };
      await store.change(key, { set, expire: (this.#tool.task as TaskSettings).ttl, returning: [] });
    } catch (error) {
      server.logError(this.#call, "A repeated call will not find its task", error);
    }
  }

  /** The task of the same call, once. */
  async take(): Promise<string | undefined> {
    const { store, sealer } = this.#engine;
    const key = await this.#key();
    const fields = key === undefined ? undefined : await store.read(key, ["id"]);
    if (key === undefined || fields === undefined) return undefined;
    await store.remove(key);
    const id = await sealer.open(key, "id", fields);
    return id && (await findTask(this.#engine, this.#call, id)) ? id : undefined;
  }

  async #key(): Promise<string | undefined> {
    if (this.#owner === undefined) return undefined;
    const given = toCanonical(this.#call.params.arguments ?? {});
    return `abandoned ${await secretDigest(this.#engine.server, JSON.stringify([this.#owner, this.#tool.name, given]))}`;
  }
}

/** Waits for a task, asks its questions, and returns its result, or what to do next. */
export async function follow(
  engine: TaskEngine,
  call: Call,
  id: string,
  wait: number,
  ctx: Context,
  first = Date.now() + wait,
): Promise<CallResult> {
  const begun = Date.now();
  let until = first;
  const report = (message?: string) => ctx.progress(Date.now() - begun, undefined, message);
  for (;;) {
    const found = await whileWorking(engine, call, id, until, report);
    if (found === undefined) return failureResult(UNKNOWN_TASK);
    const { task, head } = found;
    switch (task.status) {
      case "completed":
        return resultOf(call, head.tool, task.result as unknown as CallResult);
      case "failed":
        return failureResult(task.error?.message ?? "The task failed.");
      case "cancelled":
        return failureResult("The task was cancelled.");
      case "working":
        return sentence(task, `Still running. Task ${id}`, task.statusMessage, again(head.tool));
      case "input_required": {
        const question = await answerQuestions(engine, call, found);
        until = Date.now() + wait;
        if (question === undefined) break;
        const remedy =
          "This client cannot ask; only a person may answer, with another client, or cancel it by task_cancel.";
        return sentence(task, `Task ${id} waits for an answer`, question, remedy);
      }
    }
  }
}

function again(tool: string): string {
  return `Call task_status with this id to wait for the result. Do not call ${tool} again: the work continues.`;
}

function sentence(task: DetailedTask, subject: string, detail: string | undefined, next: string): CallResult {
  const first = detail === undefined ? subject : `${subject}: ${detail.replace(/[.\s]+$/, "")}`;
  const { inputRequests: _, ...rest } = task;
  return { content: [{ type: "text", text: `${first}. ${next}` }], _meta: { [TASKS_NAME]: rest } };
}

/** Reads a task until it does no longer work, the time is over, or nobody waits. Undefined for an unknown task. */
async function whileWorking(
  engine: TaskEngine,
  call: Call,
  id: string,
  until: number,
  report: (message?: string) => void,
): Promise<Followed | undefined> {
  let ring = () => {};
  let isOver = false;
  const end = () => {
    isOver = true;
    ring();
  };
  const unsubscribe = engine.bus.subscribe(`task ${id}`, { heard: () => ring(), missed: () => ring() });
  engine.waits.add(end);
  call.signal.addEventListener("abort", end, { once: true });
  try {
    for (;;) {
      // Before the task is read: a change in between is read again, and never lost.
      const changed = new Promise<void>((resolve) => {
        ring = resolve;
      });
      const found = await findTask(engine, call, id);
      const task = found && (await detailedTask(engine.sealer, id, found.fields));
      if (found === undefined || task === undefined) return undefined;
      engine.wakeIfStalled(id, found.fields);
      const left = until - Date.now();
      if (task.status !== "working" || left <= 0 || isOver || call.done) return { ...found, task };
      report(task.statusMessage);
      const timer = setTimeout(ring, delayOf(Math.min(left, task.pollIntervalMs ?? left)));
      await changed;
      clearTimeout(timer);
    }
  } finally {
    unsubscribe();
    engine.waits.delete(end);
    call.signal.removeEventListener("abort", end);
  }
}

interface Followed extends FoundTask {
  readonly task: DetailedTask;
}

/** Asks the questions of a task; returns one that the client cannot be asked, or undefined if all were answered. */
async function answerQuestions(engine: TaskEngine, call: Call, { id, fields }: Followed): Promise<string | undefined> {
  const questions = (await engine.sealer.openJson<TaskQuestion[]>(id, "questions", fields)) ?? [];
  const answers = await Promise.all(
    questions.map(({ key, method, params, schema }) => {
      const needs = NEEDS[method as InputMethod](params);
      const identity = `${id} ${key}`;
      return questionsOf(call).ask({
        method,
        params,
        identity,
        needs,
        schema: schema as string,
        key,
        fallback: UNASKED,
      });
    }),
  );
  const unasked = questions[answers.indexOf(UNASKED)];
  if (unasked !== undefined) return String(unasked.params.message ?? unasked.method);
  await updateTask(engine, call, id, Object.fromEntries(questions.map(({ key }, index) => [key, answers[index]])));
  return undefined;
}

/** The answer of a client that cannot be asked. */
const UNASKED: JsonObject = { action: "cancel" };

const NEEDS: { readonly [Method in InputMethod]: (params: JsonObject) => ClientCapabilities } = {
  "elicitation/create": ({ mode }) => ({ elicitation: mode === "url" ? { url: {} } : { form: {} } }),
  "sampling/createMessage": ({ tools }) => ({ sampling: tools === undefined ? {} : { tools: {} } }),
  "roots/list": () => ({ roots: {} }),
};

export async function cancelPolled(engine: TaskEngine, call: Call, id: string): Promise<CallResult> {
  const found = await findTask(engine, call, id);
  if (found === undefined) return failureResult(UNKNOWN_TASK);
  await cancelTask(engine, call, id);
  const { status: before } = found.fields;
  const text = isTerminal(before)
    ? `The task had ended: ${before}.`
    : "Cancelled. Steps that had ended stay as they are.";
  return { content: [{ type: "text", text }] };
}

/** The result as the tool gave it, for the client of this call. The other members belong to a response. */
function resultOf(call: Call, tool: string, result: CallResult): CallResult {
  const { content, structuredContent, isError, _meta } = result;
  const own = defined({ content, structuredContent, isError, _meta }) as CallResult;
  const defining = call.server.tools.get(tool);
  return defining === undefined ? own : convertResult(call, defining, own);
}
