import { definePrompt, type Prompt } from "../prompts/define.ts";
import { InvalidParams, RpcError } from "../protocol/errors.ts";
import type { Context } from "../questions/context.ts";
import { defineResource, type Resource } from "../resources/define.ts";
import { ValidationError } from "../schema/schema.ts";
import type { ServerOptions } from "../server/options.ts";
import { defineServer, type Server } from "../server/server.ts";
import { whenReady } from "../support/async.ts";
import { defineTool, type Tool } from "../tools/define.ts";
import type { TaskOption } from "../tools/task-option.ts";
import { parseParts } from "../uri/parse.ts";
import { companionCompletions, companionHooks } from "./companion-hooks.ts";
import { lazySchema } from "./lazy-schema.ts";
import { type Load, type Loaded, loadCalls, type Module } from "./load.ts";
import type {
  Binding,
  Manifest,
  ManifestPrompt,
  ManifestResource,
  ManifestTask,
  ManifestTool,
  ManifestVariable,
} from "./manifest.ts";
import { variableParam } from "./variable.ts";

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

function toTool(manifest: ManifestTool, load: Load): Tool {
  const { inputSchema, outputSchema, binding, task, deprecated: _, ...described } = manifest;
  const handle = bind(binding, load) as Tool["handle"];
  const output = outputSchema === undefined ? {} : { output: lazySchema(outputSchema) };
  const more = { ...output, ...(task && { task: toTaskOption(task) }) };
  return defineTool({ ...described, input: lazySchema(inputSchema), ...more, handle }) as Tool;
}

function toTaskOption({ after, ...rest }: ManifestTask): TaskOption {
  if (after === undefined) return rest;
  return { ...rest, after: after === "background" ? Number.POSITIVE_INFINITY : after };
}

function toPrompt(manifest: ManifestPrompt, load: Load): Prompt {
  const { arguments: declared, binding, companion: __, deprecated: _, ...described } = manifest;
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
  const { variables, binding, companion: __, deprecated: _, ...described } = manifest;
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
