import type { CompleteFunction } from "../catalog/completion.ts";
import { definePrompt, type Prompt } from "../prompts/define.ts";
import { InvalidParams, RpcError } from "../protocol/errors.ts";
import type { Context } from "../questions/context.ts";
import { defineResource, type Resource } from "../resources/define.ts";
import { createParam, type Param, ParamIssue } from "../resources/param.ts";
import { ANY_TEXT } from "../resources/param-kinds.ts";
import type { CompiledSchema, JsonSchema } from "../schema/json-schema/types.ts";
import { ValidationError } from "../schema/schema.ts";
import type { ServerOptions } from "../server/options.ts";
import { defineServer, type Server } from "../server/server.ts";
import { whenReady } from "../support/async.ts";
import { defineTool, type TaskOption, type Tool } from "../tools/define.ts";
import { parseParts } from "../uri/parse.ts";
import { compileLazily, type Load, type Loaded, lazySchema, loadCalls, type Module, repairResult } from "./load.ts";
import type {
  Binding,
  Manifest,
  ManifestCompanion,
  ManifestItem,
  ManifestPrompt,
  ManifestResource,
  ManifestTask,
  ManifestTool,
  ManifestVariable,
} from "./manifest.ts";

/**
 * Creates a server from a manifest. The module is imported by the first call that needs it, so that the server can list
 * its tools before any of the author's code runs. Items in `options` come before the derived ones.
 */
export function createDerivedServer(
  manifest: Manifest,
  load: () => Promise<Module>,
  options: Partial<ServerOptions> = {},
): Server {
  let loaded: Loaded | Promise<Loaded> | undefined;
  const loadOnce = () => {
    loaded ??= Promise.all([load(), loadCalls()]).then(
      ([module, calls]) => {
        loaded = { module, calls };
        return loaded;
      },
      () => {
        // The code that started the import reports the reason once; here there may be many calls.
        throw new RpcError("internal_error", "Failed to load the server's module; see the server's log.");
      },
    );
    return loaded;
  };
  const items = defineItems(manifest, loadOnce);
  return defineServer({
    ...manifest.server,
    ...options,
    ...joinLists("tools", options.tools, items.tools),
    ...joinLists("prompts", options.prompts, items.prompts),
    ...joinLists("resources", options.resources, items.resources),
  });
}

/** The tools, prompts and resources that call the functions of a module. */
export interface DerivedItems {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
}

/** Defines the items of a manifest. */
export function defineItems(manifest: Manifest, load: Load): DerivedItems {
  return {
    tools: manifest.tools.map((tool) => toTool(tool, load)),
    prompts: manifest.prompts.map((prompt) => toPrompt(prompt, load)),
    resources: manifest.resources.map((resource) => toResource(resource, load)),
  };
}

/** Returns a function that calls the author's. Once everything is imported, the call is synchronous. */
function bind(binding: Binding, load: Load): (args: Readonly<Record<string, unknown>>, ctx: Context) => unknown {
  return (args, ctx) => {
    const loaded = load();
    return loaded instanceof Promise
      ? loaded.then(({ module, calls }) => calls.callFunction(binding, module, args, ctx))
      : loaded.calls.callFunction(binding, loaded.module, args, ctx);
  };
}

/** Joins given and derived items. Omits the option if both are absent: even an empty list announces the capability. */
function joinLists<Item>(
  name: string,
  given: readonly Item[] | undefined,
  derived: readonly Item[],
): { [name: string]: readonly Item[] } {
  if (given === undefined && derived.length === 0) return {};
  return { [name]: [...(given ?? []), ...derived] };
}

/**
 * Adds what typed clients need to call an item as its function: the names of the arguments by position, or those of the
 * properties of its only object that differ; and other names of the item, such as that of its export. Models see neither.
 */
function withSignature<Item extends ManifestItem & { readonly was?: readonly string[] }>(item: Item): Item {
  const { parameters, path, result } = item.binding;
  const object = parameters.find((each) => each.kind === "arguments");
  const positions = parameters.flatMap((each) =>
    each.kind === "argument" ? each.name : each.kind === "rest" ? `...${each.name}` : [],
  );
  const renamed = Object.entries(object?.names ?? {}).map(([argument, own]) => [own, argument]);
  // Of a tool it also says that its result is that of a function.
  const isSaid = "inputSchema" in item || positions.length > 0 || renamed.length > 0;
  // Without a schema, the text of a function that returns one is its value, and a block is a block.
  const isText = "inputSchema" in item && !("outputSchema" in item) && result.kind === "value";
  const exported = path.join("_");
  const names = [...(exported === item.name ? [] : [exported]), ...(item.was ?? [])];
  const signature = {
    ...(isSaid && { "proffer/parameters": object === undefined ? positions : Object.fromEntries(renamed) }),
    ...(isText && { "proffer/text": true }),
    ...(names.length > 0 && { "proffer/names": names }),
  };
  return Object.keys(signature).length === 0 ? item : { ...item, _meta: { ...item._meta, ...signature } };
}

function toTool(manifest: ManifestTool, load: Load): Tool {
  const { inputSchema, outputSchema, binding, task, deprecated: _, mismatch, ...described } = withSignature(manifest);
  const handle = bind(binding, load) as Tool["handle"];
  const repair = mismatch === "error" ? undefined : repairResult;
  const output = outputSchema === undefined ? {} : { output: lazySchema(outputSchema, repair) };
  const more = { ...output, ...(task && { task: toTaskOption(task) }) };
  return defineTool({ ...described, input: lazySchema(inputSchema), ...more, handle }) as Tool;
}

function toTaskOption({ after, ...rest }: ManifestTask): TaskOption {
  if (after === undefined) return rest;
  return { ...rest, after: after === "background" ? Number.POSITIVE_INFINITY : after };
}

function toPrompt(manifest: ManifestPrompt, load: Load): Prompt {
  const { arguments: declared, binding, companion: __, deprecated: _, ...described } = withSignature(manifest);
  const complete = companionCompletions(manifest, load);
  return definePrompt({
    ...described,
    arguments: Object.fromEntries(
      declared.map(({ name, schema: _schema, ...rest }) => {
        const own = Object.hasOwn(complete, name) && complete[name];
        return [name, own ? { ...rest, complete: own } : rest];
      }),
    ),
    get: (values, ctx) =>
      whenReady(load(), ({ module, calls }) => {
        calls.checkValues("argument", declared, values);
        return calls.callFunction(binding, module, values, ctx) as string;
      }),
  });
}

function toResource(manifest: ManifestResource, load: Load): Resource {
  const { variables, binding, companion: __, deprecated: _, ...described } = withSignature(manifest);
  const call = bind(binding, load) as Resource["read"];
  const read = binding.decode === undefined ? call : refuseInvalid(call);
  const hooks = companionHooks(manifest, load);
  if (variables.length === 0) return defineResource({ ...described, ...hooks, read });
  const inQuery = new Set(queryOf(described.uri));
  const params = Object.fromEntries(
    variables.map((variable) => [variable.name, variableParam(variable, !inQuery.has(variable.name))]),
  );
  const completions = variables.flatMap(({ name, complete }) => (complete === undefined ? [] : [[name, complete]]));
  const complete = { ...Object.fromEntries(completions), ...companionCompletions(manifest, load) };
  return defineResource({ ...described, ...hooks, params, complete, read: checkLists(variables, read, load) });
}

/** Reports variables that match their schemas, but cannot be decoded. */
function refuseInvalid(read: Resource["read"]): Resource["read"] {
  return async (values, ctx) => {
    try {
      return await read(values, ctx);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      const problems = error.issues.map(({ pointer, message }) => `The variable "${pointer.slice(1)}" ${message}.`);
      throw new InvalidParams(problems.join(" "));
    }
  };
}

/** The variables in the query. `defineResource` plans the template, so here it is only parsed. */
function queryOf(uri: string): string[] {
  return parseParts(uri, Number.POSITIVE_INFINITY).flatMap((part) => {
    const isInQuery = typeof part !== "string" && (part.operator === "?" || part.operator === "&");
    return isInQuery ? part.variables.map(({ name }) => name) : [];
  });
}

/** Checks the schema of whole lists, such as `minItems`. The URI parameters check only single items. */
function checkLists(variables: readonly ManifestVariable[], read: Resource["read"], load: Load): Resource["read"] {
  const lists = variables.filter(({ type }) => type === "list");
  if (lists.length === 0) return read;
  return (values, ctx) =>
    whenReady(load(), ({ calls }) => {
      calls.checkValues("variable", lists, values);
      return read(values, ctx);
    });
}

interface Described {
  readonly binding: Binding;
  readonly companion?: ManifestCompanion;
}

/** Returns completions that call the companion of a function, whose module may not be imported yet. */
function companionCompletions({ binding, companion }: Described, load: Load): { [name: string]: CompleteFunction } {
  const names = companion?.complete ?? [];
  const completeOf = (name: string): CompleteFunction => {
    return (value, context, ctx) =>
      whenReady(load(), ({ module, calls }) => calls.completeBy(binding, module, name)(value, context, ctx));
  };
  return Object.fromEntries(names.map((name) => [name, completeOf(name)]));
}

/** Returns the options of a resource that call the companion of its function. */
function companionHooks(
  { binding, companion }: Described,
  load: Load,
): { [Name in "list" | "exists" | "watch"]?: NonNullable<Resource[Name]> } {
  return {
    ...(companion?.list && {
      list: (request, ctx) =>
        whenReady(load(), ({ module, calls }) => calls.optionOf(binding, module, "list")(request, ctx)),
    }),
    ...(companion?.exists && {
      exists: (params, ctx) => whenReady(load(), ({ module, calls }) => calls.exists(binding, module, params, ctx)),
    }),
    ...(companion?.watch && {
      watch: (events) => whenReady(load(), ({ module, calls }) => calls.optionOf(binding, module, "watch")(events)),
    }),
  };
}

type Read = (text: string) => unknown;

/** Converts URI text to the type of the author's parameter. Invalid text stays text, and the schema rejects it. */
const READERS: { readonly [Type in ManifestVariable["type"]]: Read } = {
  string: (text) => text,
  number: (text) => (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : text),
  integer: (text) => (/^-?\d+$/.test(text) ? Number(text) : text),
  boolean: (text) => (text === "true" ? true : text === "false" ? false : text),
  list: (text) => text,
};

/**
 * Creates the parameter for a template variable: converts and validates the text, or each item of a list. The author's
 * default applies to an omitted variable. In a path, dot segments are rejected regardless of the schema.
 */
function variableParam(variable: ManifestVariable, isInPath: boolean): Param {
  const { schema, type } = variable;
  const compiled = compileLazily(type === "list" ? ((schema.items ?? true) as JsonSchema) : schema);
  const read = READERS[type];
  return createParam<unknown>(
    {},
    (text) => {
      const screened = isInPath ? ANY_TEXT.check(text) : text;
      if (screened instanceof ParamIssue) return screened;
      return whenReady(compiled(), (ready) => check(ready, read(text)));
    },
    schema,
  );
}

function check(schema: CompiledSchema, value: unknown): unknown {
  if (schema.check(value)) return value;
  const problems = schema.issues(value).map(({ message }) => message);
  return new ParamIssue("schema", problems.join("; "));
}
