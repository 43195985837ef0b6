import { missingCapabilities } from "../../calls/capabilities.ts";
import { META } from "../../calls/envelope.ts";
import { RpcError } from "../../protocol/errors.ts";
import type { JsonObject, RequestMessage } from "../../protocol/messages.ts";
import { METHODS } from "../../protocol/methods.ts";
import type { ServerState } from "../../server/server.ts";
import { decodeBase64 } from "../../support/bytes.ts";
import type { HeaderParam } from "../../tools/header-params.ts";
import type { HttpRequest } from "./exchange.ts";

const NO_PARAMS: JsonObject = {};
const SENTINEL_START = "=?base64?";
const SENTINEL_END = "?=";
const INTEGER = /^-?\d{1,20}(\.0{1,20})?$/;

/**
 * Checks that the headers say what the body says. Proxies route and authorize by the headers; a request that shows
 * them one thing and does another is refused.
 * @throws {RpcError} which names the header.
 */
export function checkHeaders(request: HttpRequest, message: RequestMessage, server: ServerState): void {
  const { method, params = NO_PARAMS } = message;
  const shown = request.header("mcp-method");
  if (shown !== method) throw mismatch("Mcp-Method", shown, "the method");
  const mirrored = METHODS.get(method)?.mirrored;
  if (mirrored === undefined) return;
  const name = params[mirrored];
  const header = request.header("mcp-name");
  // A missing or malformed name is a matter of the parameters, unless a header claims that there is one.
  if (typeof name === "string" ? decodeHeader(header) !== name : header !== undefined) {
    throw mismatch("Mcp-Name", header, `params.${mirrored}`);
  }
  if (method === "tools/call") checkArguments(request, params, server);
}

function checkArguments(request: HttpRequest, params: JsonObject, server: ServerState): void {
  const tool = server.tools.get(params.name as string);
  if (tool === undefined || tool.mirrors.length === 0) return;
  const meta = params._meta as JsonObject;
  // What the client cannot do at all outranks how it asked.
  if (tool.requires !== undefined && missingCapabilities(tool.requires, meta[META.clientCapabilities] as object))
    return;
  for (const mirror of tool.mirrors) {
    const header = request.header(mirror.header);
    if (!mirrors(header, argumentAt(params.arguments, mirror))) {
      throw mismatch(mirror.header, header, `the argument ${mirror.path.join(".")}`);
    }
  }
}

function argumentAt(given: unknown, { path }: HeaderParam): unknown {
  let value = given;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as JsonObject)[name];
  }
  return value;
}

/** Whether a header shows an argument; one that is absent or null must not be shown. */
function mirrors(header: string | undefined, value: unknown): boolean {
  if (value === undefined || value === null) return header === undefined;
  const shown = decodeHeader(header);
  switch (typeof value) {
    case "string":
      return shown === value;
    case "boolean":
      return shown === String(value);
    case "number":
      if (!Number.isInteger(value)) return true;
      return Number.isSafeInteger(value) && shown !== undefined && INTEGER.test(shown) && Number(shown) === value;
    default:
      // Not of a type that can be mirrored: the schema will say so.
      return true;
  }
}

/** What a header's value stands for; undefined for none, and for one that nobody may send. */
export function decodeHeader(value: string | undefined): string | undefined {
  if (value === undefined || !isVisible(value)) return undefined;
  if (!value.startsWith(SENTINEL_START) || !value.endsWith(SENTINEL_END)) return value;
  const encoded = value.slice(SENTINEL_START.length, -SENTINEL_END.length);
  const bytes = encoded.length % 4 === 0 ? decodeBase64(encoded) : undefined;
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isVisible(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if ((code < 32 && code !== 9) || code > 126) return false;
  }
  return true;
}

/** The complaint about a header that is missing, malformed or says something else than the body. */
export function mismatch(header: string, shown: string | undefined, what: string): RpcError {
  const problem = shown === undefined ? "is missing" : "says something else";
  return new RpcError("header_mismatch", `The header ${header} ${problem}: it must repeat ${what} of the body.`);
}
