import { isObject } from "../../client/shape.ts";
import { CALL_METHODS } from "../history/call-words.ts";
import type { Draft } from "../protocol/api.ts";
import type { Answer } from "../protocol/call.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { WireMessage } from "../protocol/wire.ts";
import type { Outcome } from "./compare-results.ts";

/** A call of a recording, with its answers and its outcome; without an outcome if the recording ended before. */
export interface RecordedCall {
  /** The number of its first message. */
  readonly n: number;
  readonly draft: Draft;
  readonly outcome: Outcome | undefined;
}

interface Running {
  readonly n: number;
  readonly draft: Draft;
  readonly answers: Answer[];
  /** The questions that the last round left, in their order. */
  asked: readonly string[];
  outcome: Outcome | undefined;
}

type Parsed = { readonly message: WireMessage; readonly value: JsonObject };

/** Finds the calls of a recording, in the order in which they began. */
export function findCalls(messages: readonly WireMessage[]): RecordedCall[] {
  const calls = new Map<number, Running>();
  /** The call of each of its rounds, and of each question inside it, by message number. */
  const rounds = new Map<number, Running>();
  const questions = new Map<number, Running>();
  for (const { message, value } of parseAll(messages)) {
    const { n, re, kind, dir } = message;
    const running = re === undefined ? undefined : (rounds.get(re) ?? questions.get(re));
    if (dir === "out" && kind === "request") {
      const begun = running ?? begin(message, value);
      if (begun === undefined) continue;
      if (running === undefined) calls.set(n, begun);
      else addResponses(running, value);
      rounds.set(n, begun);
    } else if (running === undefined) continue;
    else if (dir === "in" && kind === "request") questions.set(n, running);
    else if (dir === "out" && questions.has(re as number)) addAnswer(running, value.result);
    else if (dir === "in" && kind !== "notification") end(running, value);
  }
  return [...calls.values()].map(({ n, draft, answers, outcome }) => ({
    n,
    draft: answers.length > 0 ? { ...draft, answers } : draft,
    outcome,
  }));
}

function* parseAll(messages: readonly WireMessage[]): Iterable<Parsed> {
  for (const message of messages) {
    if (message.kind === "malformed") continue;
    const value: unknown = JSON.parse(message.text);
    if (isObject(value)) yield { message, value: value as JsonObject };
  }
}

function begin({ n, revision = "" }: WireMessage, { method, params }: JsonObject): Running | undefined {
  if (!CALL_METHODS.includes(method as never) || !isObject(params)) return undefined;
  const { _meta, requestState: _, inputResponses: __, task: ___, ...own } = params as JsonObject;
  const named = isObject(_meta) ? _meta["io.modelcontextprotocol/protocolVersion"] : undefined;
  const draft = { revision: typeof named === "string" ? named : revision, method, params: own } as Draft;
  return { n, draft, answers: [], asked: [], outcome: undefined };
}

/** Adds the answers that a round returns. */
function addResponses(running: Running, { params }: JsonObject): void {
  const responses = isObject(params) && isObject(params.inputResponses) ? params.inputResponses : {};
  for (const key of running.asked) addAnswer(running, responses[key]);
  running.asked = [];
}

function addAnswer({ answers }: Running, response: unknown): void {
  if (!isObject(response)) answers.push({ action: "cancel" });
  else answers.push((typeof response.action === "string" ? response : { result: response }) as Answer);
}

function end(running: Running, { result, error }: JsonObject): void {
  if (isObject(error)) {
    running.outcome = { error: { code: Number(error.code), message: String(error.message) } };
    return;
  }
  if (!isObject(result)) return;
  const { resultType, inputRequests } = result as JsonObject;
  if (resultType === "input_required") running.asked = isObject(inputRequests) ? Object.keys(inputRequests) : [];
  // The result of a task comes later, by another request.
  else if (resultType !== "task") running.outcome = { result: result as JsonObject };
}
