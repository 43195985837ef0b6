import { RpcError } from "../protocol/errors.ts";
import { isObject, type JsonObject } from "../protocol/messages.ts";
import { LOG_LEVELS } from "../protocol/model.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import type { Revisions } from "../protocol/revisions/table.ts";

/** The `_meta` keys of the envelope: they describe the client in a request, and the subscription in a notification. */
export const META = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

/** Whether a request names its revision. Only the body decides, never the connection or a header. */
export function hasEnvelope(params: JsonObject | undefined): params is JsonObject {
  const meta = params?._meta;
  return isObject(meta) && Object.hasOwn(meta, META.protocolVersion);
}

/** The revision that a request names. @throws {RpcError} if the envelope is invalid or the version unsupported. */
export function envelopeRevision(params: JsonObject, revisions: Revisions): Revision {
  const meta = params._meta as JsonObject;
  const version = meta[META.protocolVersion];
  if (typeof version !== "string") throw incomplete(META.protocolVersion, "a version such as 2026-07-28");
  const revision = revisions.get(version);
  if (revision === undefined || revision.handshake) {
    throw new RpcError(
      "unsupported_version",
      `Unsupported protocol version ${JSON.stringify(version.slice(0, 64))} in params._meta.`,
      {
        data: { supported: revisions.stateless, requested: version },
      },
    );
  }
  checkEnvelope(meta);
  return revision;
}

/** Checks the envelope of a request besides its version. @throws {RpcError} for a missing or invalid key. */
export function checkEnvelope(meta: JsonObject): void {
  if (!isObject(meta[META.clientCapabilities]))
    throw incomplete(META.clientCapabilities, "an object, which may be empty");
  const level = meta[META.logLevel];
  if (level !== undefined && !(LOG_LEVELS as readonly unknown[]).includes(level)) {
    throw incomplete(META.logLevel, `one of ${LOG_LEVELS.join(", ")}`);
  }
}

function incomplete(key: string, expected: string): RpcError {
  return new RpcError("invalid_params", `params._meta["${key}"] must be ${expected}.`);
}
