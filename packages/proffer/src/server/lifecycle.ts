import type { Call } from "../calls/call.ts";
import { DescribedClient, SessionState } from "../calls/session.ts";
import { listHints } from "../catalog/cache-hints.ts";
import { InvalidParams, RpcError } from "../protocol/errors.ts";
import { isObject, type JsonObject } from "../protocol/messages.ts";
import type { ClientCapabilities, Implementation } from "../protocol/model.ts";
import { convert, type Revision } from "../protocol/revisions/revision.ts";
import { type SerializedResult, serializeResult } from "../results/encode.ts";
import type { ServerCapabilities } from "./feature.ts";
import type { ServerState } from "./server.ts";

/** Creates the session of an initialize request. @throws {InvalidParams} for missing or invalid parameters. */
export function openSession(server: ServerState, params: JsonObject | undefined, id?: string): SessionState {
  const { protocolVersion, capabilities, clientInfo } = params ?? {};
  if (typeof protocolVersion !== "string")
    throw new InvalidParams("initialize requires params.protocolVersion, such as 2025-11-25.");
  if (capabilities !== undefined && !isObject(capabilities))
    throw new InvalidParams("params.capabilities must be an object.");
  if (clientInfo !== undefined && !isObject(clientInfo))
    throw new InvalidParams("params.clientInfo must be an object.");
  const asked = server.revisions.get(protocolVersion);
  // A revision without a handshake cannot be negotiated by one.
  const revision = asked?.handshake ? asked : server.revisions.newestHandshake;
  const info = clientInfo as Implementation | undefined;
  const offered = (capabilities ?? {}) as ClientCapabilities;
  return new SessionState(revision, new DescribedClient(info, offered, revision), id);
}

/** Answers initialize; the transport has created the session before. */
export function initialize(call: Call): object {
  const { session } = call.origin;
  if (session === undefined) throw new RpcError("invalid_request", "initialize must be sent on its own connection.");
  const { server } = call;
  // Without a listener, the session ends with this request.
  if (call.origin.listener !== undefined) server.observers?.opened(session, call.origin.transport);
  return {
    protocolVersion: session.revision.version,
    capabilities: capabilitiesOf(call, session.revision, call.origin.listener !== undefined),
    serverInfo: convert(session.revision, "implementation", server.info),
    ...(server.instructions === undefined ? {} : { instructions: server.instructions }),
  };
}

export function discover(call: Call): SerializedResult {
  const { server, revision } = call;
  // Of the capabilities, only this one depends on the client.
  const key = `discover ${revision.version} ${server.offersTo(call, "tools")}`;
  const known = server.pages.get(key);
  if (known !== undefined) return known;
  const result = {
    supportedVersions: server.revisions.stateless,
    capabilities: capabilitiesOf(call, revision, true),
    ...(server.instructions === undefined ? {} : { instructions: server.instructions }),
  };
  const serialized = serializeResult(server.envelopes, revision, result, listHints(call));
  server.pages.set(key, serialized);
  return serialized;
}

export function ping(): object {
  return {};
}

/** The server's capabilities, by its registered items; changes are offered only to a client that can be notified. */
function capabilitiesOf(call: Call, revision: Revision, notifies: boolean): object {
  const { server } = call;
  const list = notifies ? { listChanged: true } : {};
  return convert(revision, "capabilities", {
    ...(server.offersTo(call, "tools") ? { tools: list } : {}),
    ...(server.offers("prompts") ? { prompts: list } : {}),
    ...(server.offers("resources") ? { resources: notifies ? { subscribe: true, ...list } : {} } : {}),
    ...(server.offers("completions") ? { completions: {} } : {}),
    logging: {},
    ...featuresOf(server, revision),
  });
}

/** The capabilities that features add. */
function featuresOf(server: ServerState, revision: Revision): ServerCapabilities {
  const all: { -readonly [Kind in keyof ServerCapabilities]: object } = {};
  for (const feature of server.features.with("capabilities"))
    for (const [kind, more] of Object.entries(feature.capabilities(server, revision) ?? {}))
      all[kind as keyof ServerCapabilities] = { ...all[kind as keyof ServerCapabilities], ...more };
  return all as ServerCapabilities;
}
