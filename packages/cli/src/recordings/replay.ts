import type { Answer, Draft, Json, JsonObject, WireMessage } from "@proffer/inspector";
import { type Asked, type Client, RemoteError, type RequestOptions, type ScriptedAnswer } from "proffer/client";
import { escapeToken } from "proffer/derived";
import { isObject, parseJson } from "../terminal/json.ts";
import { CALL_METHODS } from "./saved-call.ts";

/** A recorded call that was made again, and the verdict. */
export interface Replayed {
  readonly n: number;
  readonly method: string;
  /** The name of the tool or prompt, or the URI. */
  readonly about: string;
  readonly verdict: "same" | "different" | "skipped";
  /** Why it was skipped. */
  readonly reason?: string;
  readonly differences?: readonly JsonDifference[];
}

/** Gives the answers of a call in their order. A question more than in the recording is canceled. */
export class Answers {
  #left: Answer[] = [];

  begin(answers: readonly Answer[] = []): void {
    this.#left = [...answers];
  }

  readonly next = (_asked: Asked): ScriptedAnswer => {
    const answer = this.#left.shift();
    if (answer === undefined) return "cancel";
    if ("result" in answer) return answer.result;
    return answer.action === "accept" ? { action: "accept", content: answer.content ?? {} } : answer.action;
  };
}

/** Makes the calls of a recording again, one after the other. */
export async function* replay(
  calls: readonly RecordedCall[],
  server: Client,
  answers: Answers,
  {
    effects,
    revision,
    ...options
  }: RequestOptions & { readonly effects: boolean; readonly revision: string | undefined },
): AsyncIterable<Replayed> {
  const readOnly = effects ? undefined : await readOnlyTools(server, calls);
  for (const { n, draft, outcome } of calls) {
    const about = aboutOf(draft);
    const call = { n, method: draft.method, about };
    if (outcome === undefined) {
      yield { ...call, verdict: "skipped", reason: "the recording has no result" };
    } else if (draft.method === "tools/call" && readOnly?.has(about) === false) {
      yield { ...call, verdict: "skipped", reason: "it is not marked as read-only; --effects runs it" };
    } else {
      answers.begin(draft.answers);
      const again = await perform(server, draft, options);
      const differences = compareOutcomes(outcome, again, revision === undefined || revision === draft.revision);
      yield { ...call, verdict: differences.length === 0 ? "same" : "different", differences };
    }
  }
}

/** Makes a call again. */
export async function perform(server: Client, draft: Draft, options?: RequestOptions): Promise<Outcome> {
  const values = (draft.params.arguments ?? {}) as JsonObject;
  const about = aboutOf(draft);
  try {
    const result = await {
      "tools/call": () => server.call(about, values, options),
      "resources/read": () => server.read(about, options),
      "prompts/get": () => server.get(about, values as Record<string, string>, options),
    }[draft.method]();
    return { result: result as unknown as JsonObject };
  } catch (error) {
    if (error instanceof RemoteError) return { error: { code: error.code, message: error.message } };
    throw error;
  }
}

function aboutOf({ method, params }: Draft): string {
  return String(method === "resources/read" ? params.uri : params.name);
}

async function readOnlyTools(server: Client, calls: readonly RecordedCall[]): Promise<ReadonlySet<string>> {
  if (!calls.some(({ draft }) => draft.method === "tools/call")) return new Set();
  const tools = await server.listTools();
  return new Set(tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name));
}

/** A call of a recording, with its answers and its outcome; without an outcome if the recording ended before. */
interface RecordedCall {
  /** The number of its first message. */
  readonly n: number;
  readonly draft: Draft;
  readonly outcome: Outcome | undefined;
}

interface Running extends RecordedCall {
  readonly answers: Answer[];
  /** The questions that the last round left, in their order. */
  asked: readonly string[];
  outcome: Outcome | undefined;
}

/** Finds the calls of a recording, in the order in which they began. */
export function findCalls(messages: readonly WireMessage[]): RecordedCall[] {
  const calls = new Map<number, Running>();
  /** The call of each of its rounds, and of each question inside it, by message number. */
  const rounds = new Map<number, Running>();
  const questions = new Map<number, Running>();
  for (const message of messages) {
    const { n, re, kind, dir, text } = message;
    const value = parseJson(text) as JsonObject;
    if (!isObject(value)) continue;
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

/** The response to a client: a result, or an error. */
type Outcome =
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string } };

/** The members that a model or a person reads. States, cursors, tasks and `_meta` are made anew with each call. */
const COMPARED = ["isError", "content", "structuredContent", "contents", "messages"];
/** Other revisions wrap the structured content, or have none. */
const IN_EVERY_REVISION = COMPARED.filter((name) => name !== "structuredContent");

/** Compares the outcomes of two calls with the same arguments, on the same or on different revisions. */
export function compareOutcomes(before: Outcome, after: Outcome, sameRevision: boolean): JsonDifference[] {
  if ("result" in before && "result" in after) {
    const names = sameRevision ? COMPARED : IN_EVERY_REVISION;
    return differencesOf(pick(before.result, names), pick(after.result, names));
  }
  // The codes of errors differ between revisions.
  if ("error" in before && "error" in after && !sameRevision) return [];
  return differencesOf(before as unknown as Json, after as unknown as Json);
}

function pick(result: JsonObject, names: readonly string[]): JsonObject {
  const shown = names.filter((name) => result[name] !== undefined).map((name) => [name, result[name]]);
  return JSON.parse(JSON.stringify(Object.fromEntries(shown), (key, value) => (key === "_meta" ? undefined : value)));
}

/** A difference of two values at a JSON pointer. A side that is absent has no value there. */
export interface JsonDifference {
  readonly pointer: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** Bounds of one comparison. */
const MAX_PARTS = 200;
const MAX_DEPTH = 60;
/** Bytes of JSON that one side shows. */
const MAX_VALUE = 16 * 1024;

/** Compares two values by structure: the smallest parts that differ. Lists of different lengths differ as a whole. */
export function differencesOf(before: Json, after: Json): JsonDifference[] {
  const found: JsonDifference[] = [];
  const compare = (pointer: string, old: Json | undefined, now: Json | undefined, depth: number): void => {
    if (found.length >= MAX_PARTS || JSON.stringify(old) === JSON.stringify(now)) return;
    const names = depth < MAX_DEPTH ? sharedNames(old, now) : undefined;
    if (names === undefined) {
      found.push({
        pointer,
        ...(old !== undefined && { before: shown(old) }),
        ...(now !== undefined && { after: shown(now) }),
      });
      return;
    }
    for (const name of names) {
      compare(`${pointer}/${escapeToken(name)}`, member(old, name), member(now, name), depth + 1);
    }
  };
  compare("", before, after, 0);
  return found;
}

/** The names to compare one by one; undefined if the values differ as a whole. */
function sharedNames(old: Json | undefined, now: Json | undefined): Iterable<string> | undefined {
  if (!isContainer(old) || !isContainer(now) || Array.isArray(old) !== Array.isArray(now)) return undefined;
  if (Array.isArray(old) && old.length !== (now as readonly Json[]).length) return undefined;
  return new Set([...Object.keys(old), ...Object.keys(now)]);
}

function isContainer(value: Json | undefined): value is JsonObject | readonly Json[] {
  return typeof value === "object" && value !== null;
}

function member(value: Json | undefined, name: string): Json | undefined {
  return isContainer(value) && Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;
}

function shown(value: Json): Json {
  const { length } = JSON.stringify(value);
  return length > MAX_VALUE ? `… ${length} characters` : value;
}
