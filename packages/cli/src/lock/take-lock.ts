import { dirname, relative, sep } from "node:path";
import type { Server } from "proffer";
import { type Manifest, showAllToolsets } from "proffer/derived";
import { listServer } from "../terminal/listing.ts";
import { LOCK_VERSION, type Lock, type LockedArgument, type LockedItem } from "./lock-file.ts";

type Described = { readonly [member: string]: unknown };

/**
 * Describes the definitions of a server, with sorted keys. The entries that a list function computes are data and are
 * left out. Inputs are as the server checks them, outputs as clients see them.
 */
export async function takeLock(server: Server, manifest: Manifest, module: string, file: string): Promise<Lock> {
  // Callers who see less than others rely on the rest, too: the definitions count, and not what one caller sees.
  await showAllToolsets(server);
  const listed = (await listServer(server)).tools;
  const outputs = new Map(listed.map(({ name, outputSchema }) => [name, outputSchema]));
  // Resources that are tools for every client; those of single clients follow from the resources.
  const resourceTools = listed.filter(({ name }) => server.tools.get(name) === undefined);
  const resources = [...server.resources].map(({ uri, description }) => [uri, description] as const);
  const isTemplate = (description: object) => "uriTemplate" in description;
  return {
    lockVersion: LOCK_VERSION,
    module: relative(dirname(file), module).split(sep).join("/"),
    tools: toItems([
      ...[...server.tools].map(
        ({ name, description, task, was }) =>
          [
            name,
            {
              ...pick(description, TOOL),
              outputSchema: outputs.get(name) ?? description.outputSchema,
              task: task && pick(task, TASK),
              was,
            },
          ] as const,
      ),
      ...resourceTools.map((tool) => [tool.name, pick(tool, TOOL)] as const),
    ]),
    prompts: toItems(
      [...server.prompts].map(({ name, description, was, arguments: declared }) => [
        name,
        { ...pick(description, TEXTS), arguments: promptArguments(name, declared, manifest), was },
      ]),
    ),
    resources: toItems(
      resources
        .filter(([, description]) => !isTemplate(description))
        .map(([uri, description]) => [uri, pick(description, RESOURCE)]),
    ),
    resourceTemplates: toItems(
      resources
        .filter(([, description]) => isTemplate(description))
        .map(([uri, description]) => [uri, { ...pick(description, RESOURCE), arguments: variables(uri, manifest) }]),
    ),
  };
}

const TEXTS = ["title", "description"];
const TOOL = [...TEXTS, "annotations", "inputSchema"];
const RESOURCE = [...TEXTS, "mimeType"];
const TASK = ["required", "ttl"];

function pick(described: object, members: readonly string[]): Described {
  return Object.fromEntries(members.map((member) => [member, (described as Described)[member]]));
}

/** Leaves out members without content. */
function toItems(entries: readonly (readonly [string, Described])[]): { readonly [key: string]: LockedItem } {
  const isFilled = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  const items = entries.map(([key, item]) => [
    key,
    Object.fromEntries(Object.entries(item).filter(([, value]) => isFilled(value))),
  ]);
  return sorted(Object.fromEntries(items));
}

function promptArguments(
  prompt: string,
  declared: ReadonlyMap<string, { readonly description?: string; readonly required?: boolean }>,
  { prompts }: Manifest,
): { readonly [name: string]: LockedArgument } | undefined {
  const derived = prompts.find(({ name }) => name === prompt)?.arguments ?? [];
  const entries = [...declared].map(([name, { description, required = false }]) => {
    const schema = derived.find((argument) => argument.name === name)?.schema;
    return [name, { ...(description && { description }), required, ...(schema && { schema }) }] as const;
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The variables of a template are known if it is a function. */
function variables(template: string, { resources }: Manifest): { readonly [name: string]: LockedArgument } | undefined {
  const derived = resources.find(({ uri }) => uri === template)?.variables;
  if (derived === undefined) return undefined;
  return Object.fromEntries(derived.map(({ name, required, schema }) => [name, { required, schema }]));
}

/** Sorts keys at every level, so that an edit that only moves code changes nothing. The order of lists stays. */
function sorted<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(sorted) as Value;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([key, item]) => [key, key === "required" ? sortedNames(item) : sorted(item)]),
  ) as Value;
}

/** The order of required names has no meaning. */
function sortedNames(value: unknown): unknown {
  const isList = Array.isArray(value) && value.every((name) => typeof name === "string");
  return isList ? [...value].sort() : sorted(value);
}
