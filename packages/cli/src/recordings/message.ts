import type { WireLine } from "@proffer/inspector";
import { isObject } from "../client/shape.ts";

type Id = string | number | null;

/** What the text of a message says, without the messages before it. */
interface Message {
  readonly kind: WireLine["kind"];
  readonly method?: string;
  readonly about?: string;
  readonly id?: Id;
  readonly status?: string;
  /** Of a progress notification: what the request has sent as its token. */
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
/** The parameters that name what a message is about. */
const NAMES = ["name", "uri", "taskId", "requestId", "level", "message"];

/** Reads a message. Everything in it may be wrong. */
export function readMessage(text: string): Message {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "malformed", status: "not JSON" };
  }
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
  return text.length > MAX_ABOUT ? `${text.slice(0, MAX_ABOUT)}…` : text;
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

/** What a message has to do with an earlier one. */
type Relation = Pick<WireLine, "method" | "about" | "re" | "ms">;

/** A server that never answers, or a client that never stops, must not fill the memory. */
const MAX_OPEN = 10_000;
const MAX_STATES = 1000;
const CANCELED = "notifications/cancelled";
/** The requests during which a server may ask. */
const ASKING: ReadonlySet<string | undefined> = new Set(["tools/call", "resources/read", "prompts/get"]);

/** Relates the messages of one connection to each other: responses, progress and later rounds to their requests. */
export class Thread {
  readonly #open = { out: new Map<string, Open>(), in: new Map<string, Open>() };
  /** The line of the first round, by the state that a round has left. */
  readonly #rounds = new Map<string, number>();

  relate(dir: Direction, message: Message, n: number, at: number): Relation {
    switch (message.kind) {
      case "request":
        return this.#request(dir, message, n, at);
      case "notification":
        return this.#notification(dir, message);
      default:
        return this.#response(dir, message, at);
    }
  }

  #request(dir: Direction, message: Message, n: number, at: number): Relation {
    const { id, method, about, asksProgress, requestState } = message;
    const first = requestState === undefined ? undefined : this.#rounds.get(requestState);
    const asking = dir === "in" ? this.#asking() : undefined;
    const open = { n, at, method, about, asksProgress, isCanceled: false };
    if (id !== undefined) keep(this.#open[dir], keyOf(id), open, MAX_OPEN);
    const re = first ?? asking?.n;
    return { ...(re !== undefined && { re }) };
  }

  /** A request of the server belongs to the only call that it could be about. */
  #asking(): Open | undefined {
    const calls = [...this.#open.out.values()].filter(({ method, isCanceled }) => !isCanceled && ASKING.has(method));
    return calls.length === 1 ? calls[0] : undefined;
  }

  #notification(dir: Direction, { progressToken, requestId, method }: Message): Relation {
    const found =
      progressToken !== undefined
        ? [...this.#open[opposite(dir)].values()].find((each) => each.asksProgress === progressToken)
        : requestId !== undefined
          ? this.#open[dir].get(keyOf(requestId))
          : undefined;
    if (found === undefined) return {};
    if (method === CANCELED) found.isCanceled = true;
    const { method: _, ...related } = about(found);
    return related;
  }

  #response(dir: Direction, { id, requestState }: Message, at: number): Relation {
    if (id === undefined) return {};
    const asked = this.#open[opposite(dir)];
    const found = asked.get(keyOf(id));
    if (found === undefined) return {};
    asked.delete(keyOf(id));
    if (requestState !== undefined) keep(this.#rounds, requestState, found.n, MAX_STATES);
    return { ...about(found), ms: at - found.at };
  }
}

function about({ n, method, about }: Open): Relation {
  return { re: n, ...(method !== undefined && { method }), ...(about !== undefined && { about }) };
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
