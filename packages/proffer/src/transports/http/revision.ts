import { checkEnvelope, claimedRevision, META } from "../../calls/envelope.ts";
import { RpcError } from "../../protocol/errors.ts";
import type { JsonObject, RequestMessage } from "../../protocol/messages.ts";
import type { Revision } from "../../protocol/revisions/revision.ts";
import type { Revisions } from "../../protocol/revisions/table.ts";
import type { ServerState } from "../../server/server.ts";
import type { HttpRequest } from "./exchange.ts";
import { checkMirrors, mismatch } from "./header-check.ts";
import { HttpRefusal } from "./refusal.ts";

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
  const revision = claimedRevision(params, server.revisions);
  if (shown === undefined) throw mismatch("MCP-Protocol-Version", shown, "the version");
  checkMirrors(request, message, server);
  return revision;
}

/**
 * The revision that the header of a request without a description names; undefined if there is no header.
 * @throws {HttpRefusal} for a version that such a request cannot have.
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
    throw new HttpRefusal(
      400,
      `MCP-Protocol-Version ${JSON.stringify(version.slice(0, 64))} is none that this server speaks.`,
    );
  }
  if (method === "initialize") {
    throw new HttpRefusal(400, new RpcError("header_mismatch", `Version ${version} has no initialize.`));
  }
  const keys = [META.protocolVersion, META.clientCapabilities].map((key) => `"${key}"`).join(" and ");
  throw new HttpRefusal(400, new RpcError("invalid_params", `Version ${version} needs params._meta with ${keys}.`));
}

/** Whether the header says that the request is of a revision without sessions. */
export function isModern(request: HttpRequest, revisions: Revisions): boolean {
  const version = request.header(VERSION);
  return version !== undefined && revisions.get(version)?.handshake === false;
}

/** The status of an answer, by its error. Older revisions know none; the newer ones say which errors have one. */
export function statusOf(code: number | undefined, revision: Revision): number {
  if (code === undefined) return 200;
  if (code === BUSY) return 503;
  if (revision.handshake) return 200;
  return STATUS.get(code) ?? 200;
}

const BUSY = -31000;
const STATUS: ReadonlyMap<number, number> = new Map([
  [-32700, 400],
  [-32600, 400],
  [-32601, 404],
  [-32020, 400],
  [-32021, 400],
  [-32022, 400],
]);
