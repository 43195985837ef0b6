import { RemoteError, TestTask } from "proffer/testing";
import type { Connected } from "../connections/connected.ts";
import type { Answer } from "../protocol/call.ts";
import type { Json, JsonObject } from "../protocol/json.ts";
import { hasHandshake } from "../support/values.ts";
import type { InspectedCall, LeftBehind } from "./inspected-call.ts";

/** A server could answer with a question each time. */
const MAX_ROUNDS = 200;

/**
 * Sends the request of a call and asks the person at the page until it has a result. There is no time limit: the person
 * can cancel. Never rejects.
 * @param params - the parameters of the first run.
 * @param left - what a round has left, if that is answered instead of a first run.
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
    else call.fail(0, (error as Error).message);
  }
}

async function askRounds(
  call: InspectedCall,
  connected: Connected,
  first: JsonObject,
  known?: LeftBehind,
): Promise<JsonObject> {
  const { method, params: asked } = call.draft;
  const { signal } = call.stop;
  const answered = async ({ requestState, inputRequests }: LeftBehind): Promise<JsonObject> => {
    const inputResponses = await answerAll(call, inputRequests);
    return { ...withoutState(first, asked), inputResponses, ...(requestState !== undefined && { requestState }) };
  };
  let params = known === undefined ? first : await answered(known);
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    const began = performance.now();
    const response = connected.client.requestOnce(method, params, {
      signal,
      onProgress: (progress) => call.addProgress(progress as JsonObject),
      ...(!hasHandshake(connected.revision) && { logLevel: "debug" as const }),
    });
    call.beginRun(params, connected.lastSent, began);
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

/** The arguments of the first run, which may have been changed, without what an earlier round has left. */
function withoutState(first: JsonObject, asked: JsonObject): JsonObject {
  const { inputResponses: _, requestState: __, ...params } = first;
  return { ...asked, ...params };
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
  const task = new TestTask(
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
