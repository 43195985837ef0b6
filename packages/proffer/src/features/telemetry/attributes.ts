import type { Attributes } from "@opentelemetry/api";
import type { HttpSource, TransportName } from "../../calls/call.ts";
import { CallView, type ItemDescription, type MiddlewareCall } from "../../calls/call-view.ts";
import type { CallOutcome } from "../../calls/observe.ts";

/** The characters of a text from a client that are recorded. */
const MAX_TEXT = 256;

/** The names of the MCP semantic conventions. */
export const NAMES = {
  method: "mcp.method.name",
  tool: "gen_ai.tool.name",
  prompt: "gen_ai.prompt.name",
  operation: "gen_ai.operation.name",
  uri: "mcp.resource.uri",
  requestId: "jsonrpc.request.id",
  revision: "mcp.protocol.version",
  errorType: "error.type",
  statusCode: "rpc.response.status_code",
  transport: "network.transport",
  protocol: "network.protocol.name",
  protocolVersion: "network.protocol.version",
  arguments: "gen_ai.tool.call.arguments",
  result: "gen_ai.tool.call.result",
} as const;

/** The name of a call's span, and the attributes that its span and its metrics share. */
export interface Described {
  readonly name: string;
  readonly attributes: Attributes;
}

/** More calls of different kinds than a server has items and methods. */
const MAX_DESCRIBED = 1000;

/** Describes calls. Calls of the same kind share one object, because to build it takes longer than to find it. */
export class Descriptions {
  readonly #uris: boolean;
  readonly #known = new Map<string, Described>();

  constructor(uris: boolean) {
    this.#uris = uris;
  }

  of(call: MiddlewareCall): Described {
    const known = CallView.callOf(call);
    const http = known?.origin.http;
    const { item } = call;
    const target =
      item === undefined ? "" : "uri" in item ? item.uri : "uriTemplate" in item ? item.uriTemplate : item.name;
    // A client could invent any number of methods.
    const method = known?.definition !== undefined ? call.method : "_OTHER";
    const uri = this.#uris && typeof call.params.uri === "string" ? call.params.uri : undefined;
    const key = `${method}\n${known?.revision.version}\n${versionOf(http)}\n${call.transport}\n${target}`;
    const found = uri === undefined ? this.#known.get(key) : undefined;
    if (found !== undefined) return found;
    const attributes: Attributes = { [NAMES.method]: method };
    addItem(attributes, method, item);
    if (uri !== undefined) attributes[NAMES.uri] = uri;
    if (known !== undefined) attributes[NAMES.revision] = known.revision.version;
    addNetwork(attributes, call.transport, http);
    const described = { name: spanName(attributes), attributes: Object.freeze(attributes) };
    if (this.#known.size >= MAX_DESCRIBED) this.#known.clear();
    if (uri === undefined) this.#known.set(key, described);
    return described;
  }
}

/** The name of a call's span: the method, and the tool or prompt. A URI would make a name of its own for each resource. */
function spanName(attributes: Attributes): string {
  const target = attributes[NAMES.tool] ?? attributes[NAMES.prompt];
  return target === undefined ? String(attributes[NAMES.method]) : `${attributes[NAMES.method]} ${target}`;
}

/** The id of a request, which the client chose. */
export function requestId(call: MiddlewareCall): string | undefined {
  const id = CallView.callOf(call)?.id;
  return id === undefined ? undefined : shorten(String(id));
}

/** Adds the name of an item. Names that do not exist are not recorded: a client could invent any number of them. */
function addItem(attributes: Attributes, method: string, item: ItemDescription | undefined): void {
  if (method === "tools/call") attributes[NAMES.operation] = "execute_tool";
  if (item === undefined) return;
  if ("uri" in item) attributes[NAMES.uri] = item.uri;
  else if ("uriTemplate" in item) attributes[NAMES.uri] = item.uriTemplate;
  else attributes[method === "tools/call" ? NAMES.tool : NAMES.prompt] = item.name;
}

const NETWORKS: { readonly [Name in TransportName]: string | undefined } = {
  stdio: "pipe",
  http: "tcp",
  memory: undefined,
};

/** Adds the attributes of the transport. */
export function addNetwork(attributes: Attributes, transport: TransportName, http?: HttpSource): void {
  const network = NETWORKS[transport];
  if (network === undefined) return;
  attributes[NAMES.transport] = network;
  if (transport !== "http") return;
  attributes[NAMES.protocol] = "http";
  const version = versionOf(http);
  if (version !== undefined) attributes[NAMES.protocolVersion] = version.replace(/\.0$/, "");
}

/** The version of HTTP, where the run-time tells it. */
function versionOf(http: HttpSource | undefined): string | undefined {
  const { httpVersion } = (http?.raw ?? {}) as { readonly httpVersion?: unknown };
  return typeof httpVersion === "string" ? httpVersion : undefined;
}

/** The attributes of a failure; undefined if the call did not fail. */
export function failureAttributes({ code, failed }: CallOutcome): Attributes | undefined {
  if (!failed) return undefined;
  if (code === undefined) return { [NAMES.errorType]: "tool_error" };
  return { [NAMES.errorType]: String(code), [NAMES.statusCode]: String(code) };
}

/**
 * The message of an error as the client saw it. It may quote the URI that a client sent, which is recorded only if URIs
 * are.
 */
export function failureMessage(call: MiddlewareCall, message: string, uris: boolean): string {
  const { uri } = call.params;
  const shown = uris || typeof uri !== "string" || uri === "" ? message : message.replaceAll(uri, "…");
  return shorten(shown);
}

function shorten(text: string): string {
  return text.slice(0, MAX_TEXT);
}
