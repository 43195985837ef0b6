/** The JSON-RPC 2.0 messages that MCP uses. */

export type RequestId = string | number;

/** A JSON object from a client, whose values are not validated yet. */
export type JsonObject = { readonly [key: string]: unknown };

export interface RequestMessage {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: JsonObject;
}

export interface NotificationMessage {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: JsonObject;
}

export interface ResponseMessage {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly result?: JsonObject;
  readonly error?: JsonObject;
}

export type Message = RequestMessage | NotificationMessage | ResponseMessage;

/** An outgoing message: text, or the parts of a large message in order, which are sent without joining them. */
export type Wire = string | readonly (string | Uint8Array)[];

/** Joins the parts of a message, for transports that cannot send parts. */
export function toText(wire: Wire): string {
  if (typeof wire === "string") return wire;
  return wire.map((part) => (typeof part === "string" ? part : new TextDecoder().decode(part))).join("");
}

/** Adds text before and after a message. */
export function surround(before: string, wire: Wire, after: string): Wire {
  return typeof wire === "string" ? before + wire + after : [before, ...wire, after];
}

export function isRequest(message: Message): message is RequestMessage {
  return "method" in message && "id" in message;
}

export function isResponse(message: Message): message is ResponseMessage {
  return !("method" in message);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value below these property names, or undefined if one of them does not exist. */
export function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as JsonObject)[name];
  }
  return value;
}
