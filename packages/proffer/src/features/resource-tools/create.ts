import type { Call } from "../../calls/call.ts";
import { checkToolName, type Entry } from "../../catalog/registry.ts";
import type { Resource } from "../../resources/define.ts";
import { ToolError } from "../../results/content.ts";
import type { JsonSchemaObject } from "../../schema/json-schema/types.ts";
import type { Schema } from "../../schema/schema.ts";
import type { ServerState } from "../../server/server.ts";
import { defineTool, type Tool } from "../../tools/define.ts";
import { quote } from "../../uri/parse.ts";
import type { Expandable } from "../../uri/template.ts";
import { expandArguments, listByTool, readByTool, templateInput, withForm } from "./read.ts";

/** The positions of these tools in lists: after those of any tool that the author adds. */
const FIRST = 2 ** 40;

/**
 * Creates the tools that read the resources of a server. Those for every client get their names first, so that these do
 * not depend on the others.
 */
export function createResourceTools(
  server: ServerState,
  onMissing: (missing: MissingTool) => void,
): readonly ResourceTool[] {
  const claim = nameGiver(server, onMissing);
  const entries = server.resources.entries();
  const tools = entries.filter(({ item }) => item.tool === true).flatMap((entry) => toolsOf(claim, entry));
  if (server.options.resourceTools !== "never") {
    const others = entries.filter(({ item }) => item.tool === false);
    const fixed = others.filter(({ item }) => item.template === undefined).map(({ item }) => item);
    tools.push(...fixedTools(claim, fixed));
    tools.push(...others.filter(({ item }) => item.template !== undefined).flatMap((entry) => toolsOf(claim, entry)));
  }
  return tools.sort((a, b) => a.position - b.position);
}

/** The tools of one resource: one reads it, and one lists its instances if it can. */
function toolsOf(claim: ClaimName, { item: resource, position }: Entry<Resource>): ResourceTool[] {
  const isForAll = resource.tool === true;
  const word = nameOf(resource.name, resource.uri);
  const name = claim(resource, [word, `read_${word}`]);
  if (name === undefined) return [];
  const tool = createReadTool({ name, isForAll, position: FIRST + 2 * position }, resource);
  const list = resource.list && claim(resource, [`list_${word}`, `list_${word}_resources`]);
  if (list === undefined) return [tool];
  const description = `Lists the resources of ${resource.name}, page by page. ${name} reads one by its arguments.`;
  const common = { name: list, isForAll, position: FIRST + 2 * position + 1 };
  return [tool, createListTool(common, [resource], description, resource)];
}

/** The tool that all resources with a single URI share, and one that lists them if they are many. */
function fixedTools(claim: ClaimName, resources: readonly Resource[]): ResourceTool[] {
  const [first] = resources;
  if (first === undefined) return [];
  const name = claim(first, ["read_resource", "read_fixed_resource"]);
  if (name === undefined) return [];
  const isMany = resources.length > MAX_CHOICES;
  const list = isMany ? claim(first, ["list_resources", "list_fixed_resources"]) : undefined;
  const tool = createFixedReadTool({ name, isForAll: false, position: FIRST - 2 }, resources, list);
  if (list === undefined) return [tool];
  const description = "Lists the resources with their URIs, page by page.";
  return [tool, createListTool({ name: list, isForAll: false, position: FIRST - 1 }, resources, description)];
}

/** The longest name that every known client accepts. */
const MAX_NAME = 64;

/** Returns the part of a tool's name that comes from a resource: the usable characters of its name, or of its URI. */
function nameOf(name: string, uri: string): string {
  return toWord(name) || toWord(uri) || "resource";
}

function toWord(text: string): string {
  return text
    .slice(0, 1024)
    .replaceAll(/[^A-Za-z0-9-]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
}

/** A resource that is no tool, because every name for the tool belongs to another one. */
export interface MissingTool {
  readonly resource: Resource;
  /** A sentence for the author. */
  readonly reason: string;
}

/** Gives the first name that is free to a tool that reads a resource; undefined if none is. */
type ClaimName = (resource: Resource, candidates: readonly string[]) => string | undefined;

/** Never gives a name that a tool of the author has or had. */
function nameGiver({ tools }: ServerState, onMissing: (missing: MissingTool) => void): ClaimName {
  const used = new Set<string>();
  const isFree = (name: string): boolean => {
    if (used.has(name) || tools.get(name) !== undefined) return false;
    try {
      checkToolName(name);
      return true;
    } catch {
      return false;
    }
  };
  return (resource, candidates) => {
    const name = candidates.map((each) => each.slice(0, MAX_NAME)).find(isFree);
    if (name !== undefined) used.add(name);
    else {
      const reason = `The resource ${resource.uri} has no tool, because other tools are named ${candidates.join(" and ")}.`;
      onMissing({ resource, reason });
    }
    return name;
  };
}

type Arguments = Readonly<Record<string, unknown>>;

/** A tool that reads or lists resources. */
export interface ResourceTool {
  readonly name: string;
  /** Of several, the client sees those that exist for it. */
  readonly resources: readonly Resource[];
  /** A tool for every client. */
  readonly isForAll: boolean;
  /** Its position in the list, after those of the author's tools. */
  readonly position: number;
  /** Reading needs the scopes of a resource; listing needs none, as in `resources/list`. */
  readonly isList: boolean;
  /** The tool for a client that sees these of its resources. */
  describe(visible: readonly Resource[]): Tool;
  run(call: Call, input: Arguments, visible: readonly Resource[]): Promise<unknown>;
}

type Common = Pick<ResourceTool, "name" | "isForAll" | "position">;

/** More URIs than these are no list of choices any more. */
const MAX_CHOICES = 50;
/** In characters, of one resource in the description of `read_resource`. */
const MAX_LINE = 200;

const READ_ONLY = { readOnlyHint: true, openWorldHint: false } as const;
const CURSOR: JsonSchemaObject = {
  type: "object",
  properties: { cursor: { type: "string", description: "the nextCursor of the page before; none for the first page" } },
  additionalProperties: false,
};
const URI_FORM: JsonSchemaObject = {
  type: "object",
  properties: { uri: { type: "string" } },
  required: ["uri"],
  additionalProperties: false,
};

/** The tool that reads a template by its variables, or a single resource without arguments. */
function createReadTool(common: Common, resource: Resource): ResourceTool {
  const { template, description } = resource;
  const { title, icons } = description;
  let tool: Tool | undefined;
  return {
    ...common,
    resources: [resource],
    isList: false,
    describe() {
      tool ??= toTool(
        common.name,
        { ...(title !== undefined && { title }), ...(icons !== undefined && { icons }), description: textOf(resource) },
        templateInput(resource),
      );
      return tool;
    },
    run(call, input) {
      const uri =
        template === undefined ? resource.uri : expandArguments(resource, input as Record<string, Expandable>);
      return readByTool(call, resource, uri);
    },
  };
}

/** The tool that lists the resources of a template; or without one, those with a single URI. */
function createListTool(
  common: Common,
  resources: readonly Resource[],
  description: string,
  template?: Resource,
): ResourceTool {
  return {
    ...common,
    resources,
    isList: true,
    describe: () => toTool(common.name, { description }, withForm(CURSOR, CURSOR, common.name)),
    run: (call, { cursor }) => listByTool(call, cursor, template),
  };
}

/** The tool that reads all resources with a single URI. `list` is the name of the tool that lists them, if there is one. */
function createFixedReadTool(common: Common, resources: readonly Resource[], list: string | undefined): ResourceTool {
  return {
    ...common,
    resources,
    isList: false,
    describe(visible) {
      const isShort = visible.length <= MAX_CHOICES;
      const listed = list === undefined ? "" : ` ${list} returns their URIs.`;
      const description = isShort
        ? `Reads one of these resources:\n${visible.map(lineOf).join("\n")}`
        : `Reads one of ${visible.length} resources by its URI.${listed}`;
      const uri = { type: "string", ...(isShort && { enum: visible.map((each) => each.uri) }) } as const;
      const json = { ...URI_FORM, properties: { uri: { ...uri, description: "the URI of the resource" } } };
      return toTool(common.name, { description }, withForm(json, URI_FORM, common.name));
    },
    run(call, { uri }, visible) {
      const resource = visible.find((each) => each.uri === uri);
      if (resource !== undefined) return readByTool(call, resource, resource.uri);
      throw new ToolError(`Resource not found: ${quote(String(uri))}. Use a URI of the tool's description or list.`);
    },
  };
}

function toTool(
  name: string,
  described: Pick<Tool["description"], "title" | "icons" | "description">,
  input: Schema,
): Tool {
  const tool = defineTool({ name, ...described, annotations: READ_ONLY, handle: () => undefined });
  return { ...tool, description: { ...tool.description, inputSchema: input.json }, input } as Tool;
}

/** The author's words about the resource, and its URI. */
function textOf({ uri, name, mimeType, description: { description } }: Resource): string {
  const type = mimeType === undefined ? "" : ` (${mimeType})`;
  return `${description ?? `Reads ${name}.`}\n\nReads the resource ${uri}${type}.`;
}

function lineOf({ uri, name, description: { description = "" } }: Resource): string {
  const [first = ""] = description.split("\n");
  const line = `- ${uri}: ${name}${first === "" || first === name ? "" : `: ${first}`}`;
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}
