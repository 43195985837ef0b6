import type { Call } from "../../calls/call.ts";
import { definePrompt, type Prompt } from "../../prompts/define.ts";
import { NotFound } from "../../protocol/errors.ts";
import { isObject, type JsonObject } from "../../protocol/messages.ts";
import type {
  PromptDescription,
  PromptMessage,
  ResourceContents,
  ResourceDescription,
  TemplateDescription,
  ToolDescription,
} from "../../protocol/model.ts";
import { without } from "../../protocol/revisions/revision.ts";
import type { CallContext, Context } from "../../questions/context.ts";
import { defineResource, type Resource } from "../../resources/define.ts";
import { contents, type Message, messages } from "../../results/content.ts";
import { isWholeResult } from "../../results/return-value.ts";
import type { JsonSchemaObject } from "../../schema/json-schema/types.ts";
import { listedForm } from "../../schema/listed/listed-form.ts";
import type { Schema } from "../../schema/schema.ts";
import type { MountOptions } from "../../server/options.ts";
import { UsageError } from "../../support/usage-error.ts";
import { defineTool, type Tool } from "../../tools/define.ts";
import { findHeaderParams } from "../../tools/header-params.ts";
import { forward, type Upstream } from "./forward.ts";
import { toolName } from "./names.ts";
import type { UriWatcher } from "./watching.ts";

/** What makes items of a mounted server. */
export interface Source {
  readonly upstream: Upstream;
  readonly prefix: string;
  readonly options: MountOptions;
  readonly watcher: UriWatcher;
}

/** The calls by their signals: handlers of items get a context, and the bridge needs the call. */
const calls = new WeakMap<AbortSignal, Call>();

/** Keeps a call for the handler of a mounted item. */
export function rememberCall(call: Call): void {
  calls.set(call.signal, call);
}

function callOf({ signal }: Context): Call {
  const call = calls.get(signal);
  if (call === undefined) throw new Error("An item of a mounted server was called without a request.");
  return call;
}

function send(source: Source, ctx: Context, method: string, params: JsonObject): Promise<JsonObject> {
  return forward(source.upstream, { call: callOf(ctx), ctx: ctx as CallContext, method, params });
}

/** A tool that calls the tool of the mounted server, which checks the arguments itself. @throws {UsageError} */
export function toTool(source: Source, { name, ...described }: ToolDescription): Tool {
  const { upstream, prefix, options } = source;
  const where = `${upstream.name}: tool ${JSON.stringify(name)}`;
  const own = toolName(prefix, name);
  const json = inputOf(described.inputSchema, where);
  const { outputSchema } = described;
  const output = isObject(outputSchema) ? repaired(outputSchema as JsonSchemaObject, "output") : undefined;
  const tool = defineTool({
    name: own,
    ...(options.toolset !== undefined && { toolset: options.toolset }),
    ...(options.maxResult !== undefined && { maxResult: options.maxResult }),
    handle: async (input, ctx) => {
      const params = { name, arguments: input as JsonObject };
      return toResult(await send(source, ctx, "tools/call", params));
    },
  });
  return {
    ...tool,
    description: {
      ...without(described, "outputSchema"),
      name: own,
      inputSchema: json,
      ...(output !== undefined && { outputSchema: output }),
    },
    input: { json, isWritten: false, transforms: false, validator: (value: unknown) => ({ value }) } as Schema,
    headerParams: findHeaderParams(json as JsonObject, where),
    wrapped: output !== undefined && output.type !== "object",
  } as Tool;
}

/** The schema of the arguments: an object, as the protocol requires, with references that lead nowhere else. */
function inputOf(given: unknown, where: string): JsonSchemaObject {
  if (!isObject(given)) throw new UsageError(`${where} has no schema of its arguments.`, "bad_schema");
  const schema = given.type === "object" ? given : { ...given, type: "object" };
  const json = repaired(schema as JsonSchemaObject, "input");
  try {
    findHeaderParams(json as JsonObject, where);
    return json;
  } catch {
    // Clients would drop the tool.
    return withoutKey(json, "x-mcp-header") as JsonSchemaObject;
  }
}

/** The form that clients accept. A reference to another document accepts anything: nobody may fetch it. */
function repaired(schema: JsonSchemaObject, side: "input" | "output"): JsonSchemaObject {
  const local = withoutForeignReferences(schema) as JsonSchemaObject;
  try {
    return listedForm({ json: local, isWritten: false }, side);
  } catch {
    // What cannot be repaired is no schema: its own server still checks the values.
    return { type: "object", properties: {} };
  }
}

function withoutForeignReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutForeignReferences);
  if (!isObject(value)) return value;
  const isForeign = typeof value.$ref === "string" && !value.$ref.startsWith("#");
  const entries = Object.entries(isForeign ? without(value, "$ref") : value);
  return Object.fromEntries(entries.map(([key, each]) => [key, withoutForeignReferences(each)]));
}

function withoutKey(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutKey(each, name));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => key !== name);
  return Object.fromEntries(entries.map(([key, each]) => [key, withoutKey(each, name)]));
}

const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

/** The result of a tool, complete where old servers leave something out. */
function toResult({ content = [], structuredContent, isError, _meta }: JsonObject): object {
  const meta = isObject(_meta) ? without(_meta, SERVER_INFO) : {};
  const result = {
    content: (content as JsonObject[]).map(toBlock),
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError === true && { isError }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
  if (isWholeResult(result)) return result;
  return { ...result, content: result.content.map((block) => ({ type: "text", text: JSON.stringify(block) })) };
}

/** A block that revisions require more of, or do not know. */
function toBlock(block: JsonObject): JsonObject {
  const { type } = block;
  if (type === "resource_link" && typeof block.name !== "string") return { ...block, name: block.uri };
  const isMedia = type === "image" || type === "audio";
  if (isMedia && typeof block.mimeType !== "string") return { ...block, mimeType: "application/octet-stream" };
  const isKnown = isMedia || type === "text" || type === "resource_link" || type === "resource";
  return isKnown ? block : { type: "text", text: JSON.stringify(block) };
}

/** @throws {UsageError} for a name that clients could not show. */
export function toPrompt(source: Source, { name, arguments: given, ...described }: PromptDescription): Prompt {
  const { prefix, options } = source;
  const ref = { type: "ref/prompt", name };
  const declared = (given ?? []).map(({ name: argument, ...rest }) => [
    argument,
    { ...rest, complete: completion(source, ref, argument) },
  ]);
  const own = prefix + name;
  const prompt = definePrompt({
    name: own,
    arguments: Object.fromEntries(declared),
    ...(options.toolset !== undefined && { toolset: options.toolset }),
    get: async (values, ctx) => {
      const known = Object.entries(values).filter(([, value]) => value !== undefined);
      const params = { name, arguments: Object.fromEntries(known) };
      const { messages: list, description } = await send(source, ctx, "prompts/get", params);
      const texts = typeof description === "string" ? { description } : {};
      return messages(
        (list as PromptMessage[]).map((each) => ({
          ...each,
          content: toBlock(each.content as never),
        })) as never as Message[],
        texts,
      );
    },
  });
  return { ...prompt, description: { ...described, ...prompt.description } };
}

type Complete = (
  value: string,
  context: { readonly arguments: Readonly<Record<string, string>> },
  ctx: Context,
) => Promise<readonly string[]>;

function completion(source: Source, ref: JsonObject, name: string): Complete {
  return async (value, { arguments: known }, ctx) => {
    const context = Object.keys(known).length === 0 ? {} : { context: { arguments: known } };
    const params = { ref, argument: { name, value }, ...context };
    const { completion: found } = await send(source, ctx, "completion/complete", params);
    const values = isObject(found) && Array.isArray(found.values) ? found.values : [];
    return values.filter((each) => typeof each === "string");
  };
}

/** A resource or a template. @throws {UsageError} for a URI or a template that cannot be served. */
export function toResource(
  source: Source,
  description: ResourceDescription | TemplateDescription,
  completes: boolean,
): Resource {
  const { options, watcher } = source;
  const uri = "uriTemplate" in description ? description.uriTemplate : description.uri;
  const { name = uri, mimeType, ...described } = description as Partial<ResourceDescription>;
  const ref = { type: "ref/resource", uri };
  const resource = defineResource({
    uri,
    name: String(name).slice(0, 128) || "resource",
    ...(mimeType !== undefined && mimeType !== null && { mimeType }),
    ...(options.toolset !== undefined && { toolset: options.toolset }),
    exists: (_, ctx) => watcher.want(uri, ctx.uri ?? uri, callOf(ctx)),
    watch: watcher.watch(uri),
    read: (_, ctx) => read(source, ctx, ctx.uri ?? uri),
  });
  const variables = completes ? (resource.template?.variables ?? []) : [];
  return {
    ...resource,
    description: { ...described, ...resource.description } as Resource["description"],
    complete: new Map(variables.map((variable) => [variable.name, completion(source, ref, variable.name)])),
  };
}

/** Reads a URI as the client wrote it. */
async function read(source: Source, ctx: Context, uri: string): Promise<unknown> {
  const { contents: list } = await send(source, ctx, "resources/read", { uri });
  const all = list as ResourceContents[];
  if (all.length === 0) throw new NotFound();
  return contents(
    all.map((each) => (each.text === undefined && each.blob === undefined ? { ...each, text: "" } : each)),
  );
}
