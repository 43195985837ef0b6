/** The JSON-RPC 2.0 messages that MCP is made of. */

export type RequestId = string | number;

/** A JSON object from outside: nothing about its values is known. */
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

/** One message on its way out: text, or the parts of a large one in turn, which are not copied to join them. */
export type Wire = string | readonly (string | Uint8Array)[];

/** The whole of a message, for those who cannot send it in parts. */
export function toText(wire: Wire): string {
  if (typeof wire === "string") return wire;
  return wire.map((part) => (typeof part === "string" ? part : new TextDecoder().decode(part))).join("");
}

/** A message with what stands before and after it. */
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
