import { accessOf } from "../../calls/access.ts";
import { Call, type CallOrigin } from "../../calls/call.ts";
import { checkEnvelope, envelopeRevision, META } from "../../calls/envelope.ts";
import { findItem } from "../../calls/uses.ts";
import { RpcError } from "../../protocol/errors.ts";
import type { JsonObject, RequestMessage } from "../../protocol/messages.ts";
import type { Revision } from "../../protocol/revisions/revision.ts";
import type { Revisions } from "../../protocol/revisions/table.ts";
import type { ServerState } from "../../server/server.ts";
import type { HttpRequest } from "./exchange.ts";
import { checkHeaders, mismatch } from "./header-check.ts";
import { HttpError } from "./http-error.ts";

const VERSION = "mcp-protocol-version";

/**
 * The revision of a request with an envelope, after its headers were checked. Clients rely on the order of the checks:
 * envelope, contradicting header, version, missing headers.
 * @throws {RpcError} for the first check that fails.
 */
export function modernRevision(
  request: HttpRequest,
  message: RequestMessage,
  server: ServerState,
  origin: CallOrigin,
): Revision {
  const params = message.params as JsonObject;
  const shown = request.header(VERSION);
  const meta = params._meta as JsonObject;
  if (shown !== undefined && shown !== meta[META.protocolVersion]) {
    checkEnvelope(meta);
    if (typeof meta[META.protocolVersion] === "string") throw mismatch("MCP-Protocol-Version", shown, "the version");
  }
  const revision = envelopeRevision(params, server.revisions);
  if (shown === undefined) throw mismatch("MCP-Protocol-Version", shown, "the version");
  checkHeaders(request, message, server.methods.get(message.method)?.mirrored, (name) => {
    const tool = server.tools.get(name);
    // For a hidden tool, the answer must be that of an unknown name, whatever the headers are.
    if (tool === undefined || tool.headerParams.length === 0 || accessOf(server) === undefined) return tool;
    return findItem(new Call(server, origin, revision, message), server.tools, name);
  });
  return revision;
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
