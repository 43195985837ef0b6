import { isObject, type RequestId } from "../protocol/messages.ts";
import { toBase64, utf8Bytes } from "../support/bytes.ts";
import { findOversize, type Outgoing } from "./link.ts";

/** The keyword of arguments that clients repeat in headers, so that proxies can route by them (2026-07-28). */
const KEYWORD = "x-mcp-header";
/** RFC 9110, section 5.6.2: the characters of a header name. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

interface HeaderParam {
  readonly header: string;
  /** The path of property names to the argument. */
  readonly path: readonly string[];
}

/** Learns from tool lists which arguments must be repeated in headers. */
export class HeaderParams {
  /** Undefined for a tool with an invalid declaration. */
  readonly #params = new Map<string, readonly HeaderParam[] | undefined>();

  /** Reads a message from the server. Messages other than tool lists are ignored. */
  learn(message: unknown): void {
    const tools = (message as { result?: { tools?: unknown } } | null)?.result?.tools;
    if (!Array.isArray(tools)) return;
    for (const tool of tools) {
      if (isObject(tool) && typeof tool.name === "string") this.#params.set(tool.name, paramsOf(tool.inputSchema));
    }
  }

  /** The same for the text of an answer to a request, which is parsed only if it declares any. */
  learnFrom(text: string, isPending: (id: RequestId) => boolean): void {
    if (!text.includes(KEYWORD) || findOversize(text) !== undefined) return;
    try {
      const message = JSON.parse(text);
      if (isPending(message.id)) this.learn(message);
    } catch {
      // The client drops a text that is not JSON.
    }
  }

  /** Whether a tool must not be offered: specification 2026-07-28, transports, headers from tool parameters. */
  refuses(tool: string): boolean {
    return this.#params.has(tool) && this.#params.get(tool) === undefined;
  }

  /** Returns the headers of a call, not yet encoded. An absent or null argument has no header. */
  headersFor(tool: unknown, input: unknown): { readonly [header: string]: string } {
    const headers: { [header: string]: string } = {};
    for (const { header, path } of this.#params.get(String(tool)) ?? []) {
      const value = path.reduce<unknown>(
        (at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : null),
        input,
      );
      if (["string", "number", "boolean"].includes(typeof value)) headers[header] = String(value);
    }
    return headers;
  }
}

/** The types of arguments that headers can repeat. */
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);

/** Finds the declarations in a schema; undefined if one of them is invalid. */
function paramsOf(schema: unknown): HeaderParam[] | undefined {
  const found = findParams(schema);
  const names = new Set(found.map((param) => param?.header));
  return names.size === found.length && !names.has(undefined) ? (found as HeaderParam[]) : undefined;
}

/** The specification allows declarations only under nested `properties`. Those elsewhere are not seen. */
function findParams(schema: unknown, path: readonly string[] = []): (HeaderParam | undefined)[] {
  if (!isObject(schema)) return [];
  const { [KEYWORD]: name, properties, type } = schema;
  const isValid = typeof name === "string" && TOKEN.test(name) && TYPES.has(type);
  const param = isValid ? { header: `mcp-param-${name.toLowerCase()}`, path } : undefined;
  const own = name === undefined ? [] : [param];
  if (!isObject(properties)) return own;
  const nested = Object.entries(properties).flatMap(([key, value]) => findParams(value, [...path, key]));
  return [...own, ...nested];
}

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

/** The revision that a message names itself, as each does on the revisions without sessions. */
export function namedRevision({ params }: Outgoing): string | undefined {
  const meta = params?._meta;
  const version = isObject(meta) ? meta[VERSION_KEY] : undefined;
  return typeof version === "string" ? version : undefined;
}

/** Returns the headers of a message over HTTP: the newest revision repeats parts of the message in them. */
export function headersFor(message: Outgoing, headerParams: HeaderParams): { [name: string]: string } {
  const headers: { [name: string]: string } = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const { method, params } = message;
  const version = namedRevision(message);
  if (version === undefined || method === undefined) return headers;
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
  return `=?base64?${toBase64(utf8Bytes(value))}?=`;
}
