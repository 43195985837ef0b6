import { checkEnvelope, envelopeRevision, META } from "../../calls/envelope.ts";
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
 * The revision of a request that describes itself, once its headers agree with it. The order is observable and
 * clients rely on it: envelope, contradiction, version, missing headers.
 * @throws {RpcError} for the first of them that is wrong.
 */
export function modernRevision(request: HttpRequest, message: RequestMessage, server: ServerState): Revision {
  const params = message.params as JsonObject;
  const shown = request.header(VERSION);
  const meta = params._meta as JsonObject;
  if (shown !== undefined && shown !== meta[META.protocolVersion]) {
    checkEnvelope(meta);
    if (typeof meta[META.protocolVersion] === "string") throw mismatch("MCP-Protocol-Version", shown, "the version");
  }
  const revision = envelopeRevision(params, server.revisions);
  if (shown === undefined) throw mismatch("MCP-Protocol-Version", shown, "the version");
  checkHeaders(request, message, server);
  return revision;
}

/**
 * The revision that the header of a request without a description names; undefined if there is no header.
 * @throws {HttpError} for a version that such a request cannot have.
 */
export function legacyRevision(
  request: HttpRequest,
  revisions: Revisions,
  method: string | undefined,
): Revision | undefined {
  const version = request.header(VERSION);
  if (version === undefined) return undefined;
  const revision = revisions.get(version);
  if (revision?.handshake) return revision;
  if (revision === undefined) {
    throw new HttpError(
      400,
      `MCP-Protocol-Version ${JSON.stringify(version.slice(0, 64))} is none that this server speaks.`,
    );
  }
  if (method === "initialize") {
    throw new HttpError(400, new RpcError("header_mismatch", `Version ${version} has no initialize.`));
  }
  const keys = [META.protocolVersion, META.clientCapabilities].map((key) => `"${key}"`).join(" and ");
  throw new HttpError(400, new RpcError("invalid_params", `Version ${version} needs params._meta with ${keys}.`));
}

/** Whether the header says that the request is of a revision without sessions. */
export function isModern(request: HttpRequest, revisions: Revisions): boolean {
  const version = request.header(VERSION);
  return version !== undefined && revisions.get(version)?.handshake === false;
}
