import type { HeaderParams } from "./header-params.ts";

export type Message = {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly [key: string]: unknown };
};

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
/** The parameter that the header `mcp-name` repeats, by method. */
const NAMED_BY: { readonly [method: string]: string } = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};
/** Returns the headers of a message over HTTP: the newest revision repeats parts of the message in them. */
export function headersFor({ method, params }: Message, headerParams: HeaderParams): { [name: string]: string } {
  const headers: { [name: string]: string } = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const version = (params?._meta as { [key: string]: unknown } | undefined)?.[VERSION_KEY];
  if (typeof version !== "string" || method === undefined) return headers;
  headers["mcp-protocol-version"] = version;
  headers["mcp-method"] = method;
  const name = params?.[NAMED_BY[method] ?? ""];
  if (typeof name === "string") headers["mcp-name"] = encodeHeader(name);
  if (method !== "tools/call") return headers;
  for (const [header, value] of Object.entries(headerParams.headersFor(name, params?.arguments))) {
    headers[header] = encodeHeader(value);
  }
  return headers;
}

/** Encodes a value that is not visible ASCII, as the specification defines for headers. */
function encodeHeader(value: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith("=?base64?")) return value;
  return `=?base64?${Buffer.from(value).toString("base64")}?=`;
}

/** Reads a message to send. A text that is none is sent all the same: the server must refuse it. */
export function parseMessage(text: string): Message {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
