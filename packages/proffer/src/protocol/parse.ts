import { RpcError } from "./errors.ts";
import { isObject, type JsonObject, type Message, type RequestId } from "./messages.ts";
import { type Scan, scan, scanWhole } from "./scan.ts";

/** The maximum nesting depth. No real message needs more, and recursion over deeper ones could exhaust the stack. */
export const MAX_DEPTH = 64;

/** The default limit of keys and elements per message: parsing a message with millions would block all other calls. */
export const MAX_ITEMS = 250_000;

/** An invalid message: the error, and the id to send it under if the id could be read. */
export class MessageFault {
  readonly error: RpcError;
  readonly id: RequestId | undefined;
  /** The message has a method and no id: it is a notification, and even an invalid notification is never answered. */
  readonly notification: boolean;
  /** The message has an id and no method: it is a response to the server's own request with this id. */
  readonly responseTo: RequestId | undefined;

  constructor(error: RpcError, id?: RequestId, notification = false, responseTo?: RequestId) {
    this.error = error;
    this.id = id;
    this.notification = notification;
    this.responseTo = responseTo;
  }
}

/** Parses one message or a batch, and checks its envelope; methods and params are checked later. */
export function parseMessage(text: string, maxItems = MAX_ITEMS): Message | MessageFault | (Message | MessageFault)[] {
  const scanned = scan(text, MAX_DEPTH, maxItems);
  if (scanned.tooDeep) return fault("invalid_request", `The message is nested more than ${MAX_DEPTH} levels deep.`);
  if (scanned.tooMany) {
    return fault("invalid_request", `The message has more than ${maxItems} keys and elements. Send a smaller message.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fault("parse_error", "The message is not valid JSON.");
  }
  const duplicate = findDuplicateKeys(Array.isArray(value) ? value : [value], scanned);
  if (duplicate) {
    const error = new RpcError("invalid_request", `Duplicate key in ${duplicate}.`);
    // The duplicate key may be the id. A client that used the first id would take a response with the last id for the
    // response to another request.
    return new MessageFault(error, duplicate === ENVELOPE ? undefined : readableId(value), isNotification(value));
  }
  return Array.isArray(value) ? value.map(toMessage) : toMessage(value);
}

/** Checks the envelope of one parsed message. */
function toMessage(value: unknown): Message | MessageFault {
  if (!isObject(value)) return fault("invalid_request", "A message must be a JSON object.");
  const { id, method, params } = value;
  if (value.jsonrpc !== "2.0") return fault("invalid_request", 'A message must have "jsonrpc": "2.0".', value);
  if ("id" in value && !isId(id)) {
    return fault("invalid_request", "An id must be a string or an integer between -(2^53 - 1) and 2^53 - 1.");
  }
  if ("method" in value) {
    if (typeof method !== "string" || "result" in value || "error" in value) {
      return fault("invalid_request", "A message must be either a request with a method, or a response.", value);
    }
    if (params !== undefined && !isObject(params)) {
      return fault("invalid_params", "The params must be a JSON object.", value);
    }
    return value as unknown as Message;
  }
  if (!("id" in value) || "result" in value === "error" in value) {
    return fault("invalid_request", "A message must have a method, or an id with either a result or an error.", value);
  }
  if (!isObject("result" in value ? value.result : value.error)) {
    return fault("invalid_request", "The result or error of a response must be a JSON object.", value);
  }
  return value as unknown as Message;
}

type FaultKind = "parse_error" | "invalid_request" | "invalid_params";

function fault(kind: FaultKind, message: string, value?: unknown): MessageFault {
  const responseTo = isObject(value) && !("method" in value) && isId(value.id) ? value.id : undefined;
  return new MessageFault(new RpcError(kind, message), readableId(value), isNotification(value), responseTo);
}

function isId(id: unknown): id is RequestId {
  return typeof id === "string" || Number.isSafeInteger(id);
}

function readableId(value: unknown): RequestId | undefined {
  // The id of a response is one of the server's own: an error sent under it could cause an endless exchange of errors.
  return isObject(value) && "method" in value && isId(value.id) ? value.id : undefined;
}

function isNotification(value: unknown): boolean {
  return isObject(value) && typeof value.method === "string" && !("id" in value);
}

const ENVELOPE = "the message envelope";

/** Returns the object that has fewer keys after `JSON.parse` than in the text, if there is one. */
function findDuplicateKeys(messages: unknown[], scanned: Scan): string | undefined {
  let { envelopeKeys, paramsKeys, metaKeys, argumentsKeys } = scanned;
  for (const message of messages) {
    if (!isObject(message)) continue;
    envelopeKeys -= countKeys(message);
    const params = message.params;
    if (!isObject(params)) continue;
    paramsKeys -= countKeys(params);
    if (isObject(params._meta)) metaKeys -= countKeys(params._meta);
    if (isObject(params.arguments)) argumentsKeys -= countKeys(params.arguments);
  }
  if (envelopeKeys !== 0) return ENVELOPE;
  if (paramsKeys !== 0) return "params";
  if (metaKeys !== 0) return "params._meta";
  return argumentsKeys !== 0 ? "params.arguments" : undefined;
}

function countKeys(value: JsonObject): number {
  return Object.keys(value).length;
}

/** A parsed text, and the number of its keys and elements. */
interface ParsedText {
  readonly value: object;
  readonly items: number;
}

/**
 * Parses a JSON object or array that a client sent as a string. The scan of the message did not look into the string, so
 * the limits of a message apply to it here. A text with a key twice in one object could mean two things and is refused.
 * Returns undefined for a text that is not accepted.
 */
export function parseText(text: string, maxDepth: number, maxItems: number): ParsedText | undefined {
  const scanned = /^\s*[[{]/.test(text) ? scanWhole(text, maxDepth, maxItems) : undefined;
  if (scanned === undefined) return undefined;
  try {
    const value = JSON.parse(text);
    return countAllKeys(value) === scanned.keys ? { value, items: scanned.items } : undefined;
  } catch {
    return undefined;
  }
}

function countAllKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const children = Object.values(value);
  return children.reduce((sum, child) => sum + countAllKeys(child), Array.isArray(value) ? 0 : children.length);
}
