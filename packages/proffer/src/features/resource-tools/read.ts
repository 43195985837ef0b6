import { Call, type CallOrigin } from "../../calls/call.ts";
import { runMiddleware } from "../../calls/middleware.ts";
import { limitHook } from "../../calls/timeout.ts";
import { namedItems } from "../../catalog/find.ts";
import { type List, page } from "../../catalog/pages.ts";
import { NotFound, RpcError } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/messages.ts";
import type { ReadResult, ResourceContents, ResourceDescription } from "../../protocol/model.ts";
import { Requests } from "../../questions/requests.ts";
import { Rounds } from "../../questions/rounds.ts";
import type { Resource } from "../../resources/define.ts";
import { RESOURCES, readResource } from "../../resources/methods.ts";
import { lazyPage } from "../../resources/pages.ts";
import type { Param } from "../../resources/param.ts";
import { audio, type Content, embed, image, link, ToolError, text } from "../../results/content.ts";
import { SerializedResult } from "../../results/encode.ts";
import type { JsonSchemaObject } from "../../schema/json-schema/types.ts";
import { isStandardSchema, type Schema, toSchema } from "../../schema/schema.ts";
import { quote, TemplateError, type Variable } from "../../uri/parse.ts";
import type { Expandable, Template } from "../../uri/template.ts";

/** Reads a resource on behalf of a tool. The URI must be one of that resource, and not of a more specific one. */
export async function readByTool(call: Call, resource: Resource, uri: string): Promise<readonly Content[]> {
  const result = await runInner(new InnerCall(call, "resources/read", { uri }), (inner) => {
    const found = namedItems(inner)[0]?.item;
    // A cache in front of the call has only checked the scopes of this resource.
    if (found !== undefined && found !== resource) throw new NotFound(`Resource not found: ${quote(uri)}.`);
    return readResource(inner);
  });
  const shows = call.client.profile?.showsResources ?? true;
  const blocks = ((result as Partial<ReadResult>).contents ?? []).map((contents) => toBlock(contents, shows));
  return shows ? [...blocks, linkTo(resource, uri)] : blocks;
}

function toBlock(contents: ResourceContents, shows: boolean): Content {
  const { uri, mimeType = "application/octet-stream", blob } = contents;
  if (blob === undefined) return text(contents.text ?? "");
  if (mimeType.startsWith("image/")) return image(blob, mimeType);
  if (mimeType.startsWith("audio/")) return audio(blob, mimeType);
  return shows ? embed({ uri, mimeType, blob }) : text(`${uri} is not text, but ${mimeType}.`);
}

function linkTo({ name, mimeType, description: { title } }: Resource, uri: string): Content {
  return link({ uri, name, ...(title !== undefined && { title }), ...(mimeType !== undefined && { mimeType }) });
}

/** One page of resources, for a model: `arguments` are those of the tool that reads the resource. */
interface ListedResources {
  readonly resources: readonly object[];
  readonly nextCursor?: string;
}

/** Before the entries of one template come no others. It has its own name, so that it shares no page and no cursor. */
const NONE: List<Resource> = { name: "resources of a template", entries: () => [], describe: RESOURCES.describe };

/** Lists the resources of a template on behalf of a tool; or without one, those with a single URI. */
export async function listByTool(call: Call, cursor: unknown, template?: Resource): Promise<ListedResources> {
  const listing = new InnerCall(call, "resources/list", cursor === undefined ? {} : { cursor });
  const sources = call.server.resources.sources.filter(({ item }) => item === template);
  const result = await runInner(listing, (inner) =>
    template === undefined ? page(inner, RESOURCES) : limitHook(inner, lazyPage(inner, NONE, sources)),
  );
  const { resources = [], nextCursor } = result as { resources?: ResourceDescription[]; nextCursor?: string };
  const listed = resources.map(({ uri, name, description, mimeType }) => {
    const values = template?.template?.match(uri, template.rules.match)?.values;
    return {
      uri,
      name,
      ...(description !== undefined && { description }),
      ...(mimeType !== undefined && { mimeType }),
      ...(values !== undefined && { arguments: values }),
    };
  });
  return { resources: listed, ...(nextCursor !== undefined && { nextCursor }) };
}

/**
 * A read or a list inside the call of a tool. Access and middleware see it as the request that it stands for; its
 * questions, progress, log messages and cancellation are those of the tool's call.
 */
class InnerCall extends Call {
  readonly #outer: Call;

  constructor(outer: Call, method: string, params: JsonObject) {
    const { _meta } = outer.params;
    const all = _meta === undefined ? params : { ...params, _meta };
    super(outer.server, originOf(outer), outer.revision, { jsonrpc: "2.0", id: outer.id, method, params: all });
    this.#outer = outer;
    // The state of a question belongs to the request that the client repeats.
    outer.questions ??= outer.revision.rounds ? new Rounds(outer) : new Requests(outer);
    this.questions = outer.questions;
    const shared = (key: "done" | "lateHandler" | "unanswered"): PropertyDescriptor => ({
      get: () => outer[key],
      set: (value) => {
        (outer as unknown as Record<string, unknown>)[key] = value;
      },
    });
    Object.defineProperties(this, {
      done: shared("done"),
      lateHandler: shared("lateHandler"),
      unanswered: shared("unanswered"),
    });
  }

  override get signal(): AbortSignal {
    return this.#outer.signal;
  }

  override get chain(): string {
    return this.#outer.chain;
  }

  override abort(reason: string): void {
    this.#outer.abort(reason);
  }

  override forgetLateHandler(): void {
    this.#outer.forgetLateHandler();
  }

  override notify(method: string, params: object): void {
    this.#outer.notify(method, params);
  }
}

function originOf(outer: Call): CallOrigin {
  const { origin } = outer;
  return {
    transport: origin.transport,
    get principal() {
      return origin.principal;
    },
    session: origin.session,
    address: origin.address,
    http: origin.http,
    listener: origin.listener,
    notify: (_call, text) => origin.notify(outer, text),
    respond: () => undefined,
    detach: () => origin.detach?.(outer),
  };
}

/**
 * Runs a read or a list inside the call of a tool, as if the client had sent it: with the scopes, the middleware and the
 * refusals of the resource. A mistake that the model can correct is a `ToolError` with the message of the refusal.
 */
async function runInner(inner: InnerCall, handler: (inner: InnerCall) => unknown): Promise<object> {
  const { server } = inner;
  try {
    server.access?.authorize(inner);
    const result = await (server.middleware.length === 0 ? handler(inner) : runMiddleware(inner, () => handler(inner)));
    return result instanceof SerializedResult ? result.value : (result as object);
  } catch (error) {
    if (!(error instanceof RpcError) || !CORRECTABLE.has(error.kind)) throw error;
    if (error.cause !== undefined) server.logError(inner, error.message, error.cause);
    throw new ToolError(error.message);
  }
}

const CORRECTABLE: ReadonlySet<string> = new Set(["invalid_params", "resource_not_found"]);

const SCALARS = ["string", "number", "integer", "boolean"];

/**
 * Returns the schema of the arguments of a tool that reads a template. Clients see the whole of it. Here only the form of
 * the arguments is checked: the resource refuses wrong values, with its own messages.
 */
export function templateInput({ template, checks, uri }: Resource): Schema {
  const variables = template?.variables ?? [];
  const params = new Map([...checks.path, ...checks.query].map(({ name, param }) => [name, param]));
  const required = variables.filter(({ operator }) => operator === "" || operator === "+").map(({ name }) => name);
  const objectOf = (schemaOf: (variable: Variable) => JsonSchemaObject): JsonSchemaObject => ({
    type: "object",
    properties: Object.fromEntries(variables.map((variable) => [variable.name, schemaOf(variable)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  });
  return withForm(
    objectOf((variable) => variableSchema(variable, params.get(variable.name))),
    objectOf(formOf),
    uri,
  );
}

/** A schema that shows one thing to clients and checks another. */
export function withForm(json: JsonSchemaObject, form: JsonSchemaObject, where: string): Schema {
  return { ...toSchema(form, "input", where), json, isWritten: false };
}

function formOf({ explode }: Variable): JsonSchemaObject {
  const scalar = { type: ["string", "number", "boolean"] } as const;
  return explode ? { type: "array", items: scalar } : scalar;
}

function variableSchema({ name, explode }: Variable, param: Param | undefined): JsonSchemaObject {
  const item = { ...(param === undefined ? { type: "string" as const } : paramSchema(param)) };
  const label = param?.label === undefined || param.label === name ? {} : { description: param.label };
  const fallback = param?.fallback === undefined ? {} : { default: param.fallback as string | number };
  const described = { ...label, ...item, ...fallback };
  return explode && item.type !== "array" ? { type: "array", items: described } : described;
}

function paramSchema({ source }: Param): JsonSchemaObject {
  if (Array.isArray(source)) return { type: "string", enum: source };
  if (source instanceof RegExp) return { type: "string", pattern: source.source };
  if (typeof source === "string") return { type: "string", pattern: `^[${escapeSet(source)}]+$` };
  if (isStandardSchema(source)) return librarySchema(source);
  const { maximum, ...keywords } = (source ?? {}) as JsonSchemaObject;
  const isBounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return { type: "string", ...keywords, ...(isBounded && { maximum }) };
}

/** The input of a schema that converts text is often any value, or has no JSON Schema: then it is text. */
function librarySchema(schema: Parameters<typeof toSchema>[0]): JsonSchemaObject {
  try {
    const { json } = toSchema(schema, "input", "params");
    return SCALARS.includes(json.type as string) ? json : { type: "string" };
  } catch {
    return { type: "string" };
  }
}

/** In a set of `param.charset`, only a hyphen between two characters has a meaning. */
function escapeSet(set: string): string {
  return set.replaceAll(/[\\\][^]/g, "\\$&").replace(/^-|-$/g, "\\-");
}

type Arguments = Readonly<Record<string, Expandable>>;

/**
 * Writes arguments as a URI of a template. Read again, the URI must have the same values: in `{+path}`, an argument could
 * contain a query, and so values that nobody asked for. @throws {ToolError} otherwise.
 */
export function expandArguments({ template, rules, uri: text }: Resource, given: Arguments): string {
  const parsed = template as Template;
  try {
    const expanded = parsed.expand(given);
    // Where URIs are not decoded, the text of a value is written as it is.
    const uri = rules.match.decode === false ? decodeURIComponent(expanded) : expanded;
    const read = parsed.match(uri, rules.match);
    // A URI that does not match at all is refused by the resource, with its own message.
    if (read === undefined || isSame(read.values, given, read.unknown.size + read.faults.length)) return uri;
  } catch (error) {
    if (error instanceof TemplateError) throw new ToolError(error.message);
    if (!(error instanceof URIError)) throw error;
  }
  throw new ToolError(
    `The arguments cannot be written as a URI of ${text}. Pass plain text, without "?", "#" and "%".`,
  );
}

function isSame(values: Readonly<Record<string, unknown>>, given: Arguments, defects: number): boolean {
  const names = new Set([...Object.keys(values), ...Object.keys(given)]);
  return defects === 0 && [...names].every((name) => textOf(values, name) === textOf(given, name));
}

/** Absent values, empty lists and null are the same: none of them is part of a URI. */
function textOf(values: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : JSON.stringify(value.map(String));
  return value === undefined || value === null ? undefined : String(value);
}
