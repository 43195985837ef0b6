import { WrongUsage } from "../terminal/command-error.ts";
import { isObject, parseJson } from "../terminal/json.ts";
import { hideFromErrors } from "../terminal/redact.ts";
import { currentShell } from "../terminal/shell.ts";
import type { Target } from "./arguments.ts";

export interface HeaderFlags {
  /** Additional headers, each as `name: value`. */
  readonly header?: readonly string[];
  /** The environment variable that contains a bearer token. */
  readonly bearerEnv?: string;
}

/** Header names in lower case, with their values. */
export type Headers = { readonly [name: string]: string };

/** Headers that the client sets itself, or that describe the connection. */
const OWN = new Set([
  ...["accept", "content-type", "content-length", "content-encoding", "transfer-encoding", "host", "expect"],
  ...["connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade", "last-event-id"],
  ...["mcp-session-id", "mcp-protocol-version", "mcp-method", "mcp-name"],
]);
/** The client repeats arguments of tools in headers with this prefix. */
const OWN_PREFIX = "mcp-param-";

/**
 * Returns the headers of all requests. Messages never contain a value, because most values are secrets.
 * @throws {WrongUsage} for an invalid header, and for a target that receives no headers.
 */
export function toHeaders({ header = [], bearerEnv }: HeaderFlags, target: Target): Headers {
  const headers = new Map<string, string>();
  for (const text of header) {
    const [name, value] = parseHeader(text);
    if (headers.has(name)) throw new WrongUsage(`--header has the header ${name} twice.`);
    headers.set(name, value);
    hideFromErrors(value);
  }
  if (bearerEnv !== undefined) {
    if (headers.has("authorization")) {
      throw new WrongUsage("--bearer-env and --header authorization contradict each other. Use one of them.");
    }
    headers.set("authorization", `Bearer ${readToken(bearerEnv)}`);
  }
  if (headers.size > 0 && target.kind !== "url") {
    const flag = header.length > 0 ? "--header" : "--bearer-env";
    throw new WrongUsage(`${flag} requires the URL of a server. A module or a command receives no headers.`);
  }
  return Object.fromEntries(headers);
}

function parseHeader(text: string): [name: string, value: string] {
  const at = text.indexOf(":");
  if (at === -1) throw new WrongUsage("Invalid value of --header. Write --header 'name: value'.");
  const name = text.slice(0, at).toLowerCase();
  // Not shown: a text without a name is probably a value.
  if (!TOKEN.test(name)) {
    throw new WrongUsage("--header has an invalid name. Write --header 'name: value', with no space before the colon.");
  }
  if (OWN.has(name) || name.startsWith(OWN_PREFIX)) {
    throw new WrongUsage(`--header cannot set ${name}, because the client sets it.`);
  }
  return [name, checkValue(text.slice(at + 1).trim(), `The value of the header ${name}`)];
}

function readToken(variable: string): string {
  const token = currentShell().env[variable]?.trim();
  if (!token) throw new WrongUsage(`--bearer-env: the environment variable ${variable} is not set or empty.`);
  hideFromErrors(token);
  return checkValue(token, `The value of the environment variable ${variable}`);
}

/** A line break would start another header. */
function checkValue(value: string, subject: string): string {
  if (value === "") throw new WrongUsage(`${subject} is empty.`);
  if (/[\r\n]/.test(value)) throw new WrongUsage(`${subject} contains a line break.`);
  if (/[^\t\x20-\x7e]/.test(value)) throw new WrongUsage(`${subject} contains a character outside of printable ASCII.`);
  return value;
}

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
  readonly #params = new Map<string, readonly HeaderParam[]>();

  /** Reads a message from the server. Messages other than tool lists are ignored. */
  learn(message: unknown): void {
    const tools = (message as { result?: { tools?: unknown } } | null)?.result?.tools;
    if (!Array.isArray(tools)) return;
    for (const tool of tools) {
      if (isObject(tool) && typeof tool.name === "string") this.#params.set(tool.name, findParams(tool.inputSchema));
    }
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

/**
 * Finds the declarations in a schema. The specification allows them only under nested `properties`. An invalid one is
 * skipped: unlike the run-time, which rejects its author's mistakes, this reads the schemas of any server.
 */
function findParams(schema: unknown, path: readonly string[] = []): HeaderParam[] {
  if (!isObject(schema)) return [];
  const { [KEYWORD]: name, properties } = schema;
  const own = typeof name === "string" && TOKEN.test(name) ? [{ header: `mcp-param-${name.toLowerCase()}`, path }] : [];
  if (!isObject(properties)) return own;
  const nested = Object.entries(properties).flatMap(([key, value]) => findParams(value, [...path, key]));
  return [...own, ...nested];
}

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
  const value = parseJson(text);
  return typeof value === "object" && value !== null ? value : {};
}
