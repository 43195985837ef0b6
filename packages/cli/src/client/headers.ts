import type { Headers } from "proffer/client";
import { WrongUsage } from "../terminal/command-error.ts";
import { hideFromErrors } from "../terminal/redact.ts";
import { currentShell } from "../terminal/shell.ts";
import type { Target } from "./arguments.ts";

export interface HeaderFlags {
  /** Additional headers, each as `name: value`. */
  readonly header?: readonly string[];
  /** The environment variable that contains a bearer token. */
  readonly bearerEnv?: string;
}

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

/** RFC 9110, section 5.6.2: the characters of a header name. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
