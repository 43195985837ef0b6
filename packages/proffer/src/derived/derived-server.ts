import { InvalidParams } from "../protocol/errors.ts";
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
 * the server can say what it has before any of the author's code runs.
 */
export function createDerivedServer(
  manifest: Manifest,
  load: () => Promise<Module>,
  options: Partial<ServerOptions> = {},
): Server {
  let module: Module | Promise<Module> | undefined;
  const loaded = () => {
    module ??= load().then((namespace) => {
      module = namespace;
      return namespace;
    });
    return module;
  };
  const bound: Bind = (binding) => bind(binding, loaded);
  return defineServer({
    ...manifest.server,
    ...options,
    tools: manifest.tools.map((tool) => toTool(tool, bound)),
    prompts: manifest.prompts.map((prompt) => toPrompt(prompt, bound)),
    resources: manifest.resources.map((resource) => toResource(resource, bound)),
  });
}

function toTool({ inputSchema, outputSchema, binding, ...described }: ManifestTool, bound: Bind): Tool {
  const handle = bound(binding) as Tool["handle"];
  const output = outputSchema === undefined ? {} : { output: outputSchema };
  return defineTool({ ...described, input: inputSchema, ...output, handle }) as Tool;
}

function toPrompt({ arguments: declared, binding, ...described }: ManifestPrompt, bound: Bind): Prompt {
  const get = bound(binding);
  const checks = declared.map((argument) => checkArgument(argument));
  return definePrompt({
    ...described,
    arguments: Object.fromEntries(declared.map(({ name, schema: _, ...rest }) => [name, rest])),
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

function toResource({ variables, binding, ...described }: ManifestResource, bound: Bind): Resource {
  const params = Object.fromEntries(variables.map((variable) => [variable.name, variableSchema(variable)]));
  const completions = variables.flatMap(({ name, complete }) => (complete === undefined ? [] : [[name, complete]]));
  const read = bound(binding) as Resource["read"];
  if (variables.length === 0) return defineResource({ ...described, read });
  return defineResource({ ...described, params, complete: Object.fromEntries(completions), read });
}
