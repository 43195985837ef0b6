import type { Call } from "../../calls/call.ts";
import { META, missingCapabilities } from "../../calls/client.ts";
import { findItem } from "../../catalog/find.ts";
import { RpcError } from "../../protocol/errors.ts";
import { valueAt } from "../../protocol/messages.ts";
import type { Revision } from "../../protocol/revisions/revision.ts";
import type { Revisions } from "../../protocol/revisions/table.ts";
import { decodeBase64 } from "../../support/bytes.ts";
import { Memo } from "../../support/memo.ts";
import type { Tool } from "../../tools/define.ts";
import type { HttpRequest } from "./exchange.ts";
import { HttpError } from "./http-error.ts";

export const VERSION = "mcp-protocol-version";
const SENTINEL_START = "=?base64?";
const SENTINEL_END = "?=";
const INTEGER = /^-?\d{1,20}(\.0{1,20})?$/;

/**
 * Checks that the headers agree with the body. Proxies route and authorize by the headers, so a request whose body does
 * something else is rejected.
 * @throws {RpcError} that names the header.
 */
export function checkHeaders(request: Pick<HttpRequest, "header">, call: Call): void {
  const { method, params, definition } = call;
  const shown = request.header("mcp-method");
  if (shown !== method) throw mismatch("Mcp-Method", shown, "the method");
  const mirrored = definition?.mirrored;
  if (mirrored === undefined) return;
  const name = params[mirrored];
  const header = request.header("mcp-name");
  // A missing or malformed name is reported as invalid params, unless a header claims that there is one.
  if (typeof name === "string" ? decodeHeader(header) !== name : header !== undefined) {
    throw mismatch("Mcp-Name", header, `params.${mirrored}`);
  }
  // For a hidden tool, the answer must be that of an unknown name, whatever the headers are.
  const tool = method === "tools/call" ? findItem(call, call.server.tools, name) : undefined;
  if (tool !== undefined && tool.headerParams.length > 0) checkArguments(request, call, tool);
}

function checkArguments(request: Pick<HttpRequest, "header">, { client, params }: Call, tool: Tool): void {
  // A missing capability is reported before a wrong header.
  if (tool.requires !== undefined && missingCapabilities(tool.requires, client.capabilities)) return;
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
export function mismatch(header: string, shown: string | undefined, part: string): RpcError {
  const problem = shown === undefined ? "is missing" : "does not match";
  return new RpcError("header_mismatch", `The header ${header} ${problem}: it must repeat ${part} of the body.`);
}

/**
 * The revision in the header of a request without an envelope; undefined without the header.
 * @throws {HttpError} for a version that such a request cannot use.
 */
export function legacyRevision(
  request: HttpRequest,
  revisions: Revisions,
  method: string | undefined,
): Revision | undefined {
  const revision = headerRevision(request, revisions);
  if (revision === undefined || revision.handshake) return revision;
  const { version } = revision;
  if (method === "initialize") {
    throw new HttpError(400, new RpcError("header_mismatch", `Version ${version} has no initialize.`));
  }
  const keys = [META.protocolVersion, META.clientCapabilities].map((key) => `"${key}"`).join(" and ");
  throw new HttpError(400, new RpcError("invalid_params", `Version ${version} needs params._meta with ${keys}.`));
}

/** The revision in the header; undefined without the header. @throws {HttpError} for an unknown version. */
export function headerRevision(request: HttpRequest, revisions: Revisions): Revision | undefined {
  const version = request.header(VERSION);
  if (version === undefined) return undefined;
  const revision = revisions.get(version);
  if (revision !== undefined) return revision;
  throw new HttpError(400, `Unsupported MCP-Protocol-Version ${JSON.stringify(version.slice(0, 64))}.`);
}

/** Whether the header names a revision without sessions. */
export function isModern(request: HttpRequest, revisions: Revisions): boolean {
  const version = request.header(VERSION);
  return version !== undefined && revisions.get(version)?.handshake === false;
}

/** Bounds the memory of a client that sends a different header value with every request. */
const MAX_ENTRIES = 64;
const MAX_LENGTH = 256;

/** Memoizes a check of a header's value: clients send the same few values with every request. */
export function headerMemo(check: (value: string) => boolean): Memo<boolean> {
  return new Memo(check, MAX_ENTRIES, MAX_LENGTH);
}

const jsonTypes = /* @__PURE__ */ headerMemo(isJsonType);
const bothForms = /* @__PURE__ */ headerMemo(acceptsBoth);

/** @throws {HttpError} unless the body is JSON and not compressed. */
export function checkBody(request: HttpRequest): void {
  const type = request.header("content-type");
  if (type === undefined || !jsonTypes.get(type)) {
    throw new HttpError(415, "The Content-Type must be application/json.");
  }
  const encoding = request.header("content-encoding");
  if (encoding !== undefined && encoding !== "identity") {
    throw new HttpError(415, "The body must not have a Content-Encoding.");
  }
}

/** @throws {HttpError} unless the client accepts JSON and event streams. */
export function checkAccept(request: HttpRequest): void {
  const accept = request.header("accept");
  if (accept === undefined || bothForms.get(accept)) return;
  throw new HttpError(406, "The Accept header must allow application/json and text/event-stream.");
}

/** Whether a Content-Type is JSON in UTF-8. A browser sends that type across origins only after a preflight. */
function isJsonType(value: string): boolean {
  const [type, ...parameters] = value.split(";");
  if (type?.trim().toLowerCase() !== "application/json") return false;
  return parameters.every((parameter) => {
    const [name, setting] = parameter.split("=");
    if (name?.trim().toLowerCase() !== "charset") return !parameter.includes(",");
    return /^\s*"?utf-?8"?\s*$/i.test(setting ?? "");
  });
}

/** Whether an Accept allows both forms of a response; which one it will be is not known when the request arrives. */
function acceptsBoth(accept: string): boolean {
  return accepts(accept, "application/json") && accepts(accept, "text/event-stream");
}

/** Whether an Accept allows the type; the most specific matching range decides (RFC 9110, section 12.5.1). */
export function accepts(accept: string, type: string): boolean {
  const ranges = [type, `${type.slice(0, type.indexOf("/"))}/*`, "*/*"];
  let best = ranges.length;
  let allowed = false;
  for (const item of accept.toLowerCase().split(",")) {
    const [range = "", ...parameters] = item.split(";");
    const rank = ranges.indexOf(range.trim());
    if (rank < 0 || rank >= best) continue;
    best = rank;
    allowed = !parameters.some((parameter) => /^\s*q\s*=\s*0(\.0{0,3})?\s*$/.test(parameter));
  }
  return allowed;
}
