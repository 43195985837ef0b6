import type { Call, Method } from "../calls/call.ts";
import { DescribedClient, SessionState } from "../calls/client.ts";
import { listHints } from "../catalog/pages.ts";
import { getPrompt, listPrompts } from "../prompts/methods.ts";
import { InvalidParams, RpcError } from "../protocol/errors.ts";
import { isObject, type JsonObject } from "../protocol/messages.ts";
import { type ClientCapabilities, type Implementation, LOG_LEVELS, type LogLevel } from "../protocol/model.ts";
import { convert, type Revision } from "../protocol/revisions/revision.ts";
import { complete } from "../resources/complete.ts";
import { listResources, listTemplates, readResource } from "../resources/methods.ts";
import { listen, subscribe, unsubscribe } from "../resources/subscriptions.ts";
import { type SerializedResult, serializeResult } from "../results/encode.ts";
import { defined, unite } from "../support/objects.ts";
import { callTool, listTools, readArguments } from "../tools/methods.ts";
import type { ServerState } from "./server.ts";

/** The requests that a client may send in some revision, beside those of features. Each file in `protocol/revisions/` lists those of its revision. */
export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["initialize", { handle: initialize }],
  ["ping", { handle: () => ({}) }],
  ["server/discover", { handle: discover, cacheable: true }],
  ["tools/list", { handle: listTools, capability: "tools", cacheable: true }],
  ["tools/call", { handle: callTool, capability: "tools", mirrored: "name", asks: true, runs: true, readArguments }],
  ["prompts/list", { handle: listPrompts, capability: "prompts", cacheable: true }],
  ["prompts/get", { handle: getPrompt, capability: "prompts", mirrored: "name", asks: true, runs: true }],
  ["resources/list", { handle: listResources, capability: "resources", cacheable: true }],
  ["resources/templates/list", { handle: listTemplates, capability: "resources", cacheable: true }],
  [
    "resources/read",
    { handle: readResource, capability: "resources", cacheable: true, mirrored: "uri", asks: true, runs: true },
  ],
  ["resources/subscribe", { handle: subscribe, capability: "resources", runs: true }],
  ["resources/unsubscribe", { handle: unsubscribe, capability: "resources" }],
  ["subscriptions/listen", { handle: listen, runs: true }],
  ["completion/complete", { handle: complete, capability: "completions", runs: true }],
  ["logging/setLevel", { handle: setLevel, capability: "logging" }],
]);

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
  const offered = (capabilities ?? {}) as ClientCapabilities;
  const info = withinLimit(clientInfo as Implementation | undefined, offered);
  return new SessionState(revision, new DescribedClient(info, offered, revision), id);
}

/** In characters of JSON. Every session keeps the description of its client, and there may be many sessions. */
const MAX_DESCRIPTION = 4096;

/** Returns the description of a client, without icons if they make it too long. @throws {InvalidParams} */
function withinLimit(info: Implementation | undefined, offered: ClientCapabilities): Implementation | undefined {
  const { icons: _, ...rest } = { ...info } as Implementation;
  for (const each of [info, rest as Implementation])
    if (JSON.stringify([each, offered]).length <= MAX_DESCRIPTION) return each;
  throw new InvalidParams(
    `params.clientInfo and params.capabilities have more than ${MAX_DESCRIPTION} characters, icons not counted. Send less.`,
  );
}

/** Answers initialize; the transport has created the session before. */
function initialize(call: Call): object {
  const { session } = call.origin;
  if (session === undefined) throw new RpcError("invalid_request", "initialize must be sent on its own connection.");
  const { server } = call;
  // Without a listener, the session ends with this request.
  if (call.origin.listener !== undefined) server.observers?.opened(session, call.origin.transport);
  return defined({
    protocolVersion: session.revision.version,
    capabilities: capabilitiesOf(call, session.revision, call.origin.listener !== undefined),
    serverInfo: convert(session.revision, "implementation", server.info),
    instructions: server.instructions,
  });
}

function discover(call: Call): SerializedResult {
  const { server, revision } = call;
  // Of the capabilities, only this one depends on the client.
  const key = `discover ${revision.version} ${server.offersTo(call, "tools")}`;
  const known = server.pages.get(key);
  if (known !== undefined) return known;
  const result = defined({
    supportedVersions: server.revisions.stateless,
    capabilities: capabilitiesOf(call, revision, true),
    instructions: server.instructions,
  });
  const serialized = serializeResult(server.envelopes, revision, result, listHints(call));
  server.pages.set(key, serialized);
  return serialized;
}

/** The server's capabilities, by its registered items; changes are offered only to a client that can be notified. */
function capabilitiesOf(call: Call, revision: Revision, notifies: boolean): object {
  const { server } = call;
  const list = notifies ? { listChanged: true } : {};
  return convert(revision, "capabilities", {
    ...(server.offersTo(call, "tools") && { tools: list }),
    ...(server.offers("prompts") && { prompts: list }),
    ...(server.offers("resources") && { resources: notifies ? { subscribe: true, ...list } : {} }),
    ...(server.offers("completions") && { completions: {} }),
    logging: {},
    ...unite(server.features.with("capabilities").map((feature) => feature.capabilities(server, revision) ?? {})),
  });
}

function setLevel(call: Call): object {
  const { level } = call.params;
  if (!(LOG_LEVELS as readonly unknown[]).includes(level)) {
    throw new InvalidParams(`params.level must be one of ${LOG_LEVELS.join(", ")}.`);
  }
  // Without a session there is no place to keep it.
  if (call.origin.session !== undefined) call.origin.session.logLevel = level as LogLevel;
  return {};
}
