import type { Call } from "../../calls/call.ts";
import type { Resource } from "../../resources/define.ts";
import { ToolError } from "../../results/content.ts";
import type { JsonSchemaObject } from "../../schema/json-schema/types.ts";
import type { Schema } from "../../schema/schema.ts";
import { defineTool, type Tool } from "../../tools/define.ts";
import type { Expandable } from "../../uri/expand.ts";
import { quote } from "../../uri/parse.ts";
import { expandArguments } from "./expand.ts";
import { templateInput, withForm } from "./input.ts";
import { listByTool, listFixedByTool } from "./list.ts";
import { readByTool } from "./read.ts";

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
export const MAX_CHOICES = 50;
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
export function createReadTool(common: Common, resource: Resource): ResourceTool {
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

/** The tool that lists the resources of a template. */
export function createListTool(common: Common, resource: Resource, readTool: string): ResourceTool {
  const description = `Lists the resources of ${resource.name}, page by page. ${readTool} reads one by its arguments.`;
  return {
    ...common,
    resources: [resource],
    isList: true,
    describe: () => toTool(common.name, { description }, withForm(CURSOR, CURSOR, common.name)),
    run: (call, { cursor }) => listByTool(call, resource, cursor),
  };
}

/** The tool that reads all resources with a single URI. `list` is the name of the tool that lists them, if there is one. */
export function createFixedReadTool(
  common: Common,
  resources: readonly Resource[],
  list: string | undefined,
): ResourceTool {
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

/** The tool that lists the resources with a single URI, if they are too many for a list of choices. */
export function createFixedListTool(common: Common, resources: readonly Resource[]): ResourceTool {
  const description = "Lists the resources with their URIs, page by page.";
  return {
    ...common,
    resources,
    isList: true,
    describe: () => toTool(common.name, { description }, withForm(CURSOR, CURSOR, common.name)),
    run: (call, { cursor }) => listFixedByTool(call, cursor),
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

/** What the author says about the resource, and what is read. */
function textOf({ uri, name, mimeType, description: { description } }: Resource): string {
  const type = mimeType === undefined ? "" : ` (${mimeType})`;
  return `${description ?? `Reads ${name}.`}\n\nReads the resource ${uri}${type}.`;
}

function lineOf({ uri, name, description: { description = "" } }: Resource): string {
  const [first = ""] = description.split("\n");
  const line = `- ${uri}: ${name}${first === "" || first === name ? "" : `: ${first}`}`;
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}
