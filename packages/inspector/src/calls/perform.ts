import { type Asked, RemoteError, RemoteTask, type ScriptedAnswer } from "proffer/client";
import type { Connected } from "../connections/connected.ts";
import type { Connections } from "../connections/connections.ts";
import type { Api, Compared } from "../protocol/api.ts";
import type { Answer, Json, JsonObject } from "../protocol/data.ts";
import { ApiProblem } from "../support/api-problem.ts";
import { type MessageRecord, NO_RESPONSE } from "../support/host.ts";
import { hasHandshake } from "../support/values.ts";
import type { InspectedCall, LeftBehind } from "./inspected-call.ts";

/** A server could answer with a question each time. */
const MAX_ROUNDS = 200;

/**
 * Sends the request of a call and asks the person at the page until it has a result. There is no time limit: the person
 * can cancel. Never rejects.
 * @param params - the parameters of the first run.
 * @param left - the questions of an earlier round, if they are answered instead of a first run.
 */
export async function perform(
  call: InspectedCall,
  connected: Connected,
  params: JsonObject,
  left?: LeftBehind,
): Promise<void> {
  try {
    const result = await askRounds(call, connected, params, left);
    const done = result.resultType === "task" ? await awaitTask(call, connected, result) : result;
    call.finish("done", done);
  } catch (error) {
    if (call.stop.signal.aborted) call.finish("canceled");
    else if (error instanceof RemoteError) call.fail(error.code, error.message, error.data as Json | undefined);
    else call.fail(NO_RESPONSE, (error as Error).message);
  }
}

async function askRounds(
  call: InspectedCall,
  connected: Connected,
  first: JsonObject,
  known?: LeftBehind,
): Promise<JsonObject> {
  const { method, params: asked } = call.facts;
  const { signal } = call.stop;
  // The arguments of the first run may have been changed. The state of an earlier round does not belong to them.
  const { inputResponses: _, requestState: __, ...given } = first;
  const answered = async ({ requestState, inputRequests }: LeftBehind): Promise<JsonObject> => {
    const inputResponses = await answerAll(call, inputRequests);
    return { ...asked, ...given, inputResponses, ...(requestState !== undefined && { requestState }) };
  };
  let params = known === undefined ? first : await answered(known);
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    const began = performance.now();
    const before = connected.lastSent;
    const response = connected.client.requestOnce(method, params, {
      signal,
      onProgress: (progress) => call.addProgress(progress as JsonObject),
      ...(!hasHandshake(connected.revision) && { logLevel: "debug" as const }),
    });
    // In this process and over stdio it was sent at once; over HTTP, the headers come first.
    const sent = connected.lastSent === before ? await connected.nextSent(method, response) : connected.lastSent;
    call.beginRun(params, sent, began);
    const result = (await response) as JsonObject;
    if (result.resultType !== "input_required") return result;
    connected.check("questions", method, result);
    const { requestState, inputRequests = {} } = result;
    const left = { requestState, inputRequests: inputRequests as unknown as LeftBehind["inputRequests"] };
    call.endRun("asks", left);
    params = await answered(left);
  }
  throw new Error(`The server still asks after ${MAX_ROUNDS} rounds.`);
}

/** Asks all questions of a round at once: they are one form. */
async function answerAll(call: InspectedCall, questions: LeftBehind["inputRequests"]): Promise<JsonObject> {
  const entries = Object.entries(questions);
  const answers = await Promise.all(entries.map(([, { method, params = {} }]) => call.ask({ method, params })));
  return Object.fromEntries(entries.map(([key], i) => [key, toResponse(answers[i] ?? { action: "cancel" })]));
}

/** The response of the protocol. */
export function toResponse(answer: Answer): JsonObject {
  if ("result" in answer) return answer.result;
  if (answer.action !== "accept") return { action: answer.action };
  return { action: "accept", ...(answer.content !== undefined && { content: answer.content }) };
}

/** Polls a task until it ends. */
async function awaitTask(
  call: InspectedCall,
  { client, check }: Connected,
  { taskId }: JsonObject,
): Promise<JsonObject> {
  if (typeof taskId !== "string") throw new Error("The server answered with a task that has no taskId.");
  const { signal } = call.stop;
  const task = new RemoteTask(
    client,
    taskId,
    async (asked) => toResponse(await call.ask(asked)),
    (state) => check("task", "tasks/get", state),
  );
  const canceled = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => {
      task.cancel().catch(() => {});
      reject(signal.reason);
    });
  });
  const result = task.result();
  // It also ends, later, when the task is canceled.
  result.catch(() => {});
  return (await Promise.race([result, canceled])) as unknown as JsonObject;
}

/** Answers a question that nobody at the page could answer, as the protocol provides. */
export function declineQuestion({ method }: Asked): ScriptedAnswer {
  if (method === "elicitation/create") return "decline";
  if (method === "roots/list") return { roots: [] };
  throw new Error("The inspector answers this only during a call of the page.");
}

/** The methods whose results the page can show side by side. */
const METHODS = new Set([
  ...["tools/call", "resources/read", "prompts/get"],
  ...["tools/list", "prompts/list", "resources/list", "resources/templates/list"],
]);
/** Milliseconds for each revision: nobody can cancel a comparison. */
const TIMEOUT = 120_000;

/** Sends a request on several revisions, one after the other, each with a new client. Questions are declined. */
export async function compare(
  connections: Connections,
  record: MessageRecord,
  { method, params, revisions = connections.revisions }: Api["compare"]["in"],
): Promise<Compared[]> {
  if (!METHODS.has(method)) throw new ApiProblem(400, "bad_request", `"${method}" cannot be compared.`);
  const compared: Compared[] = [];
  for (const revision of new Set(revisions)) {
    const connected = await connections.open({ revision, purpose: "comparison" });
    let bytes = 0;
    const forget = record.observe({
      line(line) {
        if (line.conn === connected.conn && line.dir === "in" && line.method === method) bytes += line.bytes;
      },
    });
    const began = performance.now();
    const outcome = await connected.client
      .request(method, params, { signal: AbortSignal.timeout(TIMEOUT) })
      .then((result) => ({ result: record.mask.json(result as JsonObject) }), toError);
    const ms = performance.now() - began;
    forget();
    await connected.close();
    compared.push({ revision, ms, bytes, ...outcome });
  }
  return compared;
}

function toError(error: Error): Pick<Compared, "error"> {
  return { error: { code: error instanceof RemoteError ? error.code : NO_RESPONSE, message: error.message } };
}
