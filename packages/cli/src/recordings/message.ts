import type { WireLine } from "@proffer/inspector";
import { defined, isObject, parseJson } from "../terminal/json.ts";
import { shorten } from "../terminal/text.ts";

type Id = string | number | null;

/** The facts in the text of a message, without the messages before it. */
interface Message {
  readonly kind: WireLine["kind"];
  readonly method?: string;
  readonly about?: string;
  readonly id?: Id;
  readonly status?: string;
  /** Of a progress notification: the token of the request. */
  readonly progressToken?: string | number;
  /** Of a request for progress. */
  readonly asksProgress?: string | number;
  /** Of a notification about a request: its id. */
  readonly requestId?: string | number;
  /** The state that a round leaves with the client, or that the next round returns. */
  readonly requestState?: string;
  /** Of a result of `initialize`, and of a request for it. */
  readonly protocolVersion?: string;
  readonly note?: string;
}

const MAX_ABOUT = 200;
const MAX_ID = 100;
/** The parameters that name the subject of a message. */
const NAMES = ["name", "uri", "taskId", "requestId", "level", "message"];

/** Reads a message. Everything in it may be wrong. */
export function readMessage(text: string): Message {
  const value = parseJson(text);
  if (value === undefined) return { kind: "malformed", status: "not JSON" };
  if (!Array.isArray(value)) return isObject(value) ? readObject(value) : { kind: "malformed", status: "no object" };
  const first = isObject(value[0]) ? readObject(value[0]) : { kind: "malformed" as const };
  return { ...first, note: `batch of ${value.length}` };
}

function readObject(value: { readonly [key: string]: unknown }): Message {
  const { id, method, params, result, error } = value;
  if (typeof method === "string") {
    const shown = { method: cut(method), ...readParams(isObject(params) ? params : {}) };
    return "id" in value ? { kind: "request", ...shown, ...withId(id) } : { kind: "notification", ...shown };
  }
  if (isObject(error)) return { kind: "error", ...withId(id), status: cut(String(error.code)) };
  if (isObject(result)) return { kind: "result", ...withId(id), ...readResult(result) };
  return { kind: "malformed", ...withId(id), status: "no message" };
}

function withId(id: unknown): { readonly id?: Id } {
  if (id === null || typeof id === "number") return { id };
  return typeof id === "string" ? { id: id.slice(0, MAX_ID) } : {};
}

function readParams(params: { readonly [key: string]: unknown }): Omit<Message, "kind"> {
  const { _meta, ref, requestState, requestId, progressToken, protocolVersion } = params;
  const token = isObject(_meta) ? _meta.progressToken : undefined;
  const named = NAMES.map((name) => params[name]).find((each) => typeof each === "string" || typeof each === "number");
  const about = named ?? (isObject(ref) ? (ref.name ?? ref.uri) : undefined);
  return {
    ...(about !== undefined && { about: cut(String(about)) }),
    ...(isKey(token) && { asksProgress: token }),
    ...(isKey(progressToken) && { progressToken }),
    ...(isKey(requestId) && { requestId }),
    ...(typeof requestState === "string" && { requestState }),
    ...(typeof protocolVersion === "string" && { protocolVersion: cut(protocolVersion) }),
  };
}

function readResult(result: { readonly [key: string]: unknown }): Omit<Message, "kind"> {
  const { resultType, isError, requestState, protocolVersion } = result;
  const status = isError === true ? "isError" : typeof resultType === "string" ? cut(resultType) : "complete";
  return {
    status,
    ...(typeof requestState === "string" && { requestState }),
    ...(typeof protocolVersion === "string" && { protocolVersion: cut(protocolVersion) }),
  };
}

function isKey(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/** A name of a hostile server may have megabytes; the text of the message has it whole. */
function cut(text: string): string {
  return shorten(text, MAX_ABOUT);
}

type Direction = WireLine["dir"];

/** A request whose response has not arrived. */
interface Open {
  readonly n: number;
  readonly at: number;
  readonly method: string | undefined;
  readonly about: string | undefined;
  readonly asksProgress: string | number | undefined;
  /** Its response may still come, but nobody waits for it. */
  isCanceled: boolean;
}

/** The relation of a message to an earlier one. */
type Relation = Pick<WireLine, "method" | "about" | "re" | "ms">;

/** A server that never answers, or a client that never stops, must not fill the memory. */
const MAX_OPEN = 10_000;
const MAX_STATES = 1000;
const CANCELED = "notifications/cancelled";
/** The requests during which a server may ask. */
const ASKING: ReadonlySet<string | undefined> = new Set(["tools/call", "resources/read", "prompts/get"]);

/** Relates a message to earlier ones of its connection. */
export type Relate = (dir: Direction, message: Message, n: number, at: number) => Relation;

/** Creates the function that relates the messages of one connection: responses, progress and rounds to their requests. */
export function createRelate(): Relate {
  const open = { out: new Map<string, Open>(), in: new Map<string, Open>() };
  /** The line of the first round, by the state that a round has left. */
  const rounds = new Map<string, number>();

  function relateRequest(dir: Direction, message: Message, n: number, at: number): Relation {
    const { id, method, about, asksProgress, requestState } = message;
    const first = requestState === undefined ? undefined : rounds.get(requestState);
    const asking = dir === "in" ? findAsking() : undefined;
    const request = { n, at, method, about, asksProgress, isCanceled: false };
    if (id !== undefined) keep(open[dir], keyOf(id), request, MAX_OPEN);
    return defined({ re: first ?? asking?.n });
  }

  /** A request of the server belongs to the only call that it could be about. */
  function findAsking(): Open | undefined {
    const calls = [...open.out.values()].filter(({ method, isCanceled }) => !isCanceled && ASKING.has(method));
    return calls.length === 1 ? calls[0] : undefined;
  }

  function relateNotification(dir: Direction, { progressToken, requestId, method }: Message): Relation {
    const found =
      progressToken !== undefined
        ? [...open[opposite(dir)].values()].find((each) => each.asksProgress === progressToken)
        : requestId !== undefined
          ? open[dir].get(keyOf(requestId))
          : undefined;
    if (found === undefined) return {};
    if (method === CANCELED) found.isCanceled = true;
    const { method: _, ...related } = about(found);
    return related;
  }

  function relateResponse(dir: Direction, { id, requestState }: Message, at: number): Relation {
    const asked = open[opposite(dir)];
    const found = id === undefined ? undefined : asked.get(keyOf(id));
    if (id === undefined || found === undefined) return {};
    asked.delete(keyOf(id));
    if (requestState !== undefined) keep(rounds, requestState, found.n, MAX_STATES);
    return { ...about(found), ms: at - found.at };
  }

  return (dir, message, n, at) => {
    if (message.kind === "request") return relateRequest(dir, message, n, at);
    return message.kind === "notification" ? relateNotification(dir, message) : relateResponse(dir, message, at);
  };
}

function about({ n, method, about }: Open): Relation {
  return { re: n, ...defined({ method, about }) };
}

function opposite(dir: Direction): Direction {
  return dir === "in" ? "out" : "in";
}

/** 1 and "1" are different ids. */
function keyOf(id: string | number | null): string {
  return JSON.stringify(id);
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value, max: number): void {
  map.set(key, value);
  if (map.size <= max) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
