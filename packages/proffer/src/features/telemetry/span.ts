import {
  type Attributes,
  type Baggage,
  type BaggageEntry,
  type Context,
  context,
  createTraceState,
  isSpanContextValid,
  type Link,
  propagation,
  type SpanContext,
  trace,
} from "@opentelemetry/api";
import type { HttpSource, TransportName } from "../../calls/call.ts";
import { CallView, type ItemDescription, type MiddlewareCall } from "../../calls/call-view.ts";
import type { CallOutcome } from "../../calls/observe.ts";
import type { Settings } from "./telemetry.ts";

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

/** The name of a call's span: the method, and the tool or prompt. A URI would make another name for each resource. */
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

/** The version of HTTP, where the run-time provides it. */
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

/** Where the span of a call begins. */
interface Origin {
  readonly context: Context;
  readonly links: Link[];
  /** The context has no parent that counts. */
  readonly root: boolean;
}

/** Finds the parent of a call's span. A context that is not the parent becomes a link. */
export function findOrigin(call: MiddlewareCall, settings: Settings): Origin {
  const active = context.active();
  const { parents } = settings;
  if (parents === "none") return { context: active, links: [], root: true };
  const { _meta } = call.params;
  const carrier = parents === "http" ? undefined : (_meta as Carrier | undefined);
  const meta = carrier?.traceparent === undefined ? undefined : readSpanContext(carrier);
  // An instrumentation of HTTP has read the headers, if there is one.
  const ambient = trace.getSpanContext(active);
  const http = ambient ?? readHeaders(call);
  if (meta === undefined && http === undefined) return { context: active, links: [], root: false };
  const isTrusted = isTrustedCaller(call, settings);
  const links: Link[] = [];
  let parent: SpanContext | undefined;
  for (const [candidate, isWanted] of [
    [meta, isTrusted],
    [http, parents !== "meta" && (isTrusted || http === ambient)],
  ] as const) {
    if (candidate === undefined) continue;
    if (parent === undefined && isWanted) parent = candidate;
    else links.push({ context: candidate });
  }
  if (parent === undefined) return { context: active, links, root: true };
  const base = parent === ambient ? active : trace.setSpanContext(active, parent);
  const baggage = settings.baggage && isTrusted && carrier !== undefined ? readBaggage(carrier) : undefined;
  return { context: baggage === undefined ? base : propagation.setBaggage(base, baggage), links, root: false };
}

/** Only true is trust: a promise must not be, and its rejection must not end the process. */
function isTrustedCaller(call: MiddlewareCall, { trust }: Settings): boolean {
  const trusted: unknown = trust(call.principal, call);
  if (trusted instanceof Promise) trusted.catch(() => undefined);
  return trusted === true;
}

function readHeaders(call: MiddlewareCall): SpanContext | undefined {
  const http = CallView.callOf(call)?.origin.http;
  const traceparent = http?.header("traceparent");
  return traceparent === undefined
    ? undefined
    : readSpanContext({ traceparent, tracestate: http?.header("tracestate") });
}

/** The fields of a W3C trace context, from a client: of `_meta`, or of HTTP headers. */
interface Carrier {
  readonly traceparent?: unknown;
  readonly tracestate?: unknown;
  readonly baggage?: unknown;
}

/** Version 00 of `traceparent`: later versions may be longer, and are not valid MCP. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** W3C Trace Context, section 3.3.1.5. */
const MAX_TRACESTATE = 512;
/** W3C Baggage, section 3.3.2. */
const MAX_BAGGAGE = 8192;
const MAX_BAGGAGE_ENTRIES = 64;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Reads the span context that a client sent; undefined if it is not valid. `_meta` has the W3C form whatever propagator
 * the process uses, so no propagator is asked: the values are checked here once.
 */
function readSpanContext({ traceparent, tracestate }: Carrier): SpanContext | undefined {
  const match = typeof traceparent === "string" ? TRACEPARENT.exec(traceparent) : null;
  const [, traceId = "", spanId = "", flags = ""] = match ?? [];
  const state =
    typeof tracestate === "string" && tracestate !== "" && tracestate.length <= MAX_TRACESTATE ? tracestate : undefined;
  const found: SpanContext = {
    traceId,
    spanId,
    // Only the flag "sampled" has a meaning.
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(state === undefined ? {} : { traceState: createTraceState(state) }),
  };
  // Refuses ids of zeros only.
  return match !== null && isSpanContextValid(found) ? found : undefined;
}

/** Writes a span context for `_meta`; undefined if there is none. */
export function writeSpanContext(span: SpanContext): Record<string, string> | undefined {
  if (!isSpanContextValid(span)) return undefined;
  const flags = (span.traceFlags & 1).toString(16).padStart(2, "0");
  const state = span.traceState?.serialize() ?? "";
  return {
    traceparent: `00-${span.traceId}-${span.spanId}-${flags}`,
    ...(state === "" ? {} : { tracestate: state }),
  };
}

/** Reads the baggage that a client sent; undefined if it is not valid. Properties of entries are dropped. */
function readBaggage({ baggage }: Carrier): Baggage | undefined {
  if (typeof baggage !== "string" || baggage === "" || baggage.length > MAX_BAGGAGE) return undefined;
  const members = baggage.split(",");
  if (members.length > MAX_BAGGAGE_ENTRIES) return undefined;
  const entries: Record<string, BaggageEntry> = {};
  for (const member of members) {
    const [pair = ""] = member.split(";");
    const at = pair.indexOf("=");
    const name = pair.slice(0, at).trim();
    if (at < 1 || !TOKEN.test(name)) return undefined;
    try {
      entries[name] = { value: decodeURIComponent(pair.slice(at + 1).trim()) };
    } catch {
      return undefined;
    }
  }
  return propagation.createBaggage(entries);
}
