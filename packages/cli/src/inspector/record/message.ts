import { isObject } from "../../client/shape.ts";
import type { WireLine } from "../protocol/wire.ts";

type Id = string | number | null;

/** What the text of a message says, without the messages before it. */
export interface Message {
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
