import { InvalidParams, RpcError } from "../protocol/errors.ts";
import { definePrompt, type Prompt } from "../server/define-prompt.ts";
import { defineResource, type Resource } from "../server/define-resource.ts";
import { defineTool, type Tool } from "../server/define-tool.ts";
import { compileJsonSchema } from "../server/json-schema/compile.ts";
import { defineServer, type Server, type ServerOptions } from "../server/server.ts";
import { type Bound, bind, type Module } from "./bind.ts";
import type {
  Binding,
  Manifest,
  ManifestArgument,
  ManifestPrompt,
  ManifestResource,
  ManifestTool,
} from "./manifest.ts";
import { variableSchema } from "./variable.ts";

type Bind = (binding: Binding) => Bound;

/**
 * Makes a server of what was derived from a module. The module itself is imported when `load` is first called, so that
 * the server can say what it has before any of the author's code runs. Lists in `options` come before what was derived.
 */
export function createDerivedServer(
  manifest: Manifest,
  load: () => Promise<Module>,
  options: Partial<ServerOptions> = {},
): Server {
  let module: Module | Promise<Module> | undefined;
  const loaded = () => {
    module ??= load().then(
      (namespace) => {
        module = namespace;
        return namespace;
      },
      () => {
        // Whoever started the import knows the reason, and tells it once: there may be many calls.
        throw new RpcError("internal_error", "The module of this server could not be loaded; its log says why.");
      },
    );
    return module;
  };
  const bound: Bind = (binding) => bind(binding, loaded);
  return defineServer({
    ...manifest.server,
    ...options,
    ...listed("tools", options.tools, manifest.tools, (tool) => toTool(tool, bound)),
    ...listed("prompts", options.prompts, manifest.prompts, (prompt) => toPrompt(prompt, bound)),
    ...listed("resources", options.resources, manifest.resources, (resource) => toResource(resource, bound)),
  });
}

/** A list that exists, even an empty one, tells clients that the server has such things. */
function listed<Given, Item>(
  name: string,
  given: readonly Given[] | undefined,
  derived: readonly Item[],
  define: (item: Item) => Given,
): { [name: string]: readonly Given[] } {
  if (given === undefined && derived.length === 0) return {};
  return { [name]: [...(given ?? []), ...derived.map(define)] };
}

function toTool(manifest: ManifestTool, bound: Bind): Tool {
  const { inputSchema, outputSchema, binding, deprecated: _, ...described } = manifest;
  const handle = bound(binding) as Tool["handle"];
  const output = outputSchema === undefined ? {} : { output: outputSchema };
  return defineTool({ ...described, input: inputSchema, ...output, handle }) as Tool;
}

function toPrompt(manifest: ManifestPrompt, bound: Bind): Prompt {
  const { arguments: declared, binding, deprecated: _, ...described } = manifest;
  const get = bound(binding);
  const checks = declared.map((argument) => checkArgument(argument));
  return definePrompt({
    ...described,
    arguments: Object.fromEntries(declared.map(({ name, schema: _schema, ...rest }) => [name, rest])),
    get: (values, ctx) => {
      for (const check of checks) check(values);
      return get(values, ctx) as string;
    },
  });
}

function checkArgument({
  name,
  schema,
}: ManifestArgument): (values: Readonly<Record<string, string | undefined>>) => void {
  const compiled = compileJsonSchema(schema);
  return (values) => {
    const value = values[name];
    if (value === undefined || compiled.check(value)) return;
    const problems = compiled.issues(value).map((issue) => issue.message);
    throw new InvalidParams(
      `The argument "${name}" ${problems.join(" and ")}, not ${JSON.stringify(value.slice(0, 200))}.`,
    );
  };
}

function toResource(manifest: ManifestResource, bound: Bind): Resource {
  const { variables, binding, deprecated: _, ...described } = manifest;
  const params = Object.fromEntries(variables.map((variable) => [variable.name, variableSchema(variable)]));
  const completions = variables.flatMap(({ name, complete }) => (complete === undefined ? [] : [[name, complete]]));
  const read = bound(binding) as Resource["read"];
  if (variables.length === 0) return defineResource({ ...described, read });
  return defineResource({ ...described, params, complete: Object.fromEntries(completions), read });
}
