import { RpcError } from "./errors.ts";
import { isObject, type JsonObject, type Message, type RequestId } from "./messages.ts";
import { scan } from "./scan.ts";
import type { Scan } from "./structure.ts";

/** Deeper nesting than this has no use in a message, and recursion over it could exhaust the stack. */
export const MAX_DEPTH = 64;

/** More keys and elements than this are refused unless a server says otherwise: a million keys take a second to parse. */
export const MAX_ITEMS = 250_000;

/** What was wrong with a message, and the id to answer it under, if that much could be read. */
export class MessageFault {
  readonly error: RpcError;
  readonly id: RequestId | undefined;
  /** It has a method and no id: a notification is never answered, however wrong it is. */
  readonly notification: boolean;
  /** It has an id and no method: the id of the request of ours that it was meant to answer. */
  readonly answered: RequestId | undefined;

  constructor(error: RpcError, id?: RequestId, notification = false, answered?: RequestId) {
    this.error = error;
    this.id = id;
    this.notification = notification;
    this.answered = answered;
  }
}

/** Reads the text of one message, or of a batch of them, without judging what it asks for. */
export function parseMessage(text: string, maxItems = MAX_ITEMS): Message | MessageFault | (Message | MessageFault)[] {
  const scanned = scan(text, MAX_DEPTH, maxItems);
  if (scanned.tooDeep) return fault("invalid_request", `The message nests deeper than ${MAX_DEPTH} levels.`);
  if (scanned.tooMany) {
    return fault("invalid_request", `The message has more than ${maxItems} keys and elements; send less at once.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fault("parse_error", "The message is not valid JSON.");
  }
  const duplicate = duplicateKeys(Array.isArray(value) ? value : [value], scanned);
  if (duplicate) {
    const error = new RpcError("invalid_request", `The message has a key twice in ${duplicate}.`);
    // The key may be the id, and who reads the first takes the answer to the last for that of another request.
    return new MessageFault(error, duplicate === ENVELOPE ? undefined : readableId(value), isNotification(value));
  }
  return Array.isArray(value) ? value.map(toMessage) : toMessage(value);
}

/** Checks the envelope of one message that was parsed from JSON. */
function toMessage(value: unknown): Message | MessageFault {
  if (!isObject(value)) return fault("invalid_request", "A message must be a JSON object.");
  const { id, method, params } = value;
  if (value.jsonrpc !== "2.0") return fault("invalid_request", 'A message needs "jsonrpc": "2.0".', value);
  if ("id" in value && !isId(id)) {
    return fault("invalid_request", "An id must be a string or an integer that JavaScript can hold exactly.");
  }
  if ("method" in value) {
    if (typeof method !== "string" || "result" in value || "error" in value) {
      return fault("invalid_request", "A message is either a request with a method or a response.", value);
    }
    if (params !== undefined && !isObject(params)) {
      return fault("invalid_params", "The params must be a JSON object.", value);
    }
    return value as unknown as Message;
  }
  if (!("id" in value) || "result" in value === "error" in value) {
    return fault("invalid_request", "A message needs a method, or an id with a result or an error.", value);
  }
  if (!isObject("result" in value ? value.result : value.error)) {
    return fault("invalid_request", "The result or error of a response must be a JSON object.", value);
  }
  return value as unknown as Message;
}

type FaultKind = "parse_error" | "invalid_request" | "invalid_params";

function fault(kind: FaultKind, message: string, value?: unknown): MessageFault {
  const answered = isObject(value) && !("method" in value) && isId(value.id) ? value.id : undefined;
  return new MessageFault(new RpcError(kind, message), readableId(value), isNotification(value), answered);
}

function isId(id: unknown): id is RequestId {
  return typeof id === "string" || Number.isSafeInteger(id);
}

function readableId(value: unknown): RequestId | undefined {
  // A response has an id of ours; answering it would start a conversation of errors.
  return isObject(value) && "method" in value && isId(value.id) ? value.id : undefined;
}

function isNotification(value: unknown): boolean {
  return isObject(value) && typeof value.method === "string" && !("id" in value);
}

const ENVELOPE = "its envelope";

/** Names the place where fewer keys arrived than were written. */
function duplicateKeys(messages: unknown[], scanned: Scan): string | undefined {
  let { envelopeKeys, paramsKeys, metaKeys } = scanned;
  for (const message of messages) {
    if (!isObject(message)) continue;
    envelopeKeys -= countKeys(message);
    const params = message.params;
    if (!isObject(params)) continue;
    paramsKeys -= countKeys(params);
    if (isObject(params._meta)) metaKeys -= countKeys(params._meta);
  }
  if (envelopeKeys !== 0) return ENVELOPE;
  if (paramsKeys !== 0) return "params";
  return metaKeys !== 0 ? "params._meta" : undefined;
}

function countKeys(value: JsonObject): number {
  return Object.keys(value).length;
}
