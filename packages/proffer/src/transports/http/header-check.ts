import type { Method } from "../../calls/call.ts";
import { missingCapabilities } from "../../calls/capabilities.ts";
import { META } from "../../calls/envelope.ts";
import { RpcError } from "../../protocol/errors.ts";
import { type JsonObject, type RequestMessage, valueAt } from "../../protocol/messages.ts";
import { decodeBase64 } from "../../support/bytes.ts";
import type { Tool } from "../../tools/define.ts";
import type { HttpRequest } from "./exchange.ts";

const NO_PARAMS: JsonObject = {};
const SENTINEL_START = "=?base64?";
const SENTINEL_END = "?=";
const INTEGER = /^-?\d{1,20}(\.0{1,20})?$/;

/**
 * Checks that the headers agree with the body. Proxies route and authorize by the headers, so a request whose body does
 * something else is rejected. `mirrored` is the parameter in `Mcp-Name`; `findTool` finds the tool of a call, if it exists for the caller.
 * @throws {RpcError} that names the header.
 */
export function checkHeaders(
  request: HttpRequest,
  message: RequestMessage,
  mirrored: Method["mirrored"],
  findTool: (name: string) => Tool | undefined,
): void {
  const { method, params = NO_PARAMS } = message;
  const shown = request.header("mcp-method");
  if (shown !== method) throw mismatch("Mcp-Method", shown, "the method");
  if (mirrored === undefined) return;
  const name = params[mirrored];
  const header = request.header("mcp-name");
  // A missing or malformed name is reported as invalid params, unless a header claims that there is one.
  if (typeof name === "string" ? decodeHeader(header) !== name : header !== undefined) {
    throw mismatch("Mcp-Name", header, `params.${mirrored}`);
  }
  const tool = method === "tools/call" && typeof name === "string" ? findTool(name) : undefined;
  if (tool !== undefined && tool.headerParams.length > 0) checkArguments(request, params, tool);
}

function checkArguments(request: HttpRequest, params: JsonObject, tool: Tool): void {
  const meta = params._meta as JsonObject;
  // A missing capability is reported before a wrong header.
  if (tool.requires !== undefined && missingCapabilities(tool.requires, meta[META.clientCapabilities] as object))
    return;
  for (const param of tool.headerParams) {
    const header = request.header(param.header);
    if (!matchesArgument(header, valueAt(params.arguments, param.path))) {
      throw mismatch(param.header, header, `the argument ${param.path.join(".")}`);
    }
  }
}

/** Whether a header equals an argument; an absent or null argument must have no header. */
function matchesArgument(header: string | undefined, value: unknown): boolean {
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
      // Not a type that a header can carry: the schema check reports it.
      return true;
  }
}

/** Decodes a header value; undefined if it is missing or malformed. */
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

/** The error for a header that is missing, malformed, or differs from the body. */
export function mismatch(header: string, shown: string | undefined, what: string): RpcError {
  const problem = shown === undefined ? "is missing" : "does not match";
  return new RpcError("header_mismatch", `The header ${header} ${problem}: it must repeat ${what} of the body.`);
}
