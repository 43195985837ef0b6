import { isObject } from "../protocol/messages.ts";
import type { CallResult, ContentBlock, ToolDescription } from "../protocol/model.ts";
import type { JsonSchemaObject } from "../schema/json-schema/types.ts";
import type { Adaptation, NameRules } from "./profile.ts";
import { resolveReferences } from "./references.ts";
import { shortNames } from "./short-names.ts";

/** How lists and results are converted for some clients. */
export interface Shape {
  /** Clients with the same key get the same lists. */
  readonly key: string;
  /** Returns the tool as listed. */
  tool(description: ToolDescription, name: string): ToolDescription;
  result(result: CallResult): CallResult;
  /** Returns the names as listed, by the names of the tools. */
  names(server: string, tools: Iterable<string>): ReadonlyMap<string, string>;
}

/** Creates the shape for clients with these needs; undefined if they need nothing. */
export function createShape(needs: Adaptation, rules: NameRules | undefined): Shape | undefined {
  const names = needs.names ? rules : undefined;
  if (Object.keys(needs).length === 0) return undefined;
  return {
    key: JSON.stringify([needs, names]),
    names: (server, tools) => (names === undefined ? new Map() : shortNames(names, server, tools)),
    tool(description, name) {
      const { inputSchema, outputSchema, ...rest } = description;
      const input = needs.references ? resolveReferences(inputSchema as JsonSchemaObject) : inputSchema;
      const keepsOutput = outputSchema !== undefined && !(needs.typedOutputs && !hasType(outputSchema));
      return { ...rest, name, inputSchema: input, ...(keepsOutput && { outputSchema }) };
    },
    result(result) {
      const content = needs.texts ? result.content.map(toText) : result.content;
      if (!needs.blocks || content.every(({ type }) => type === "text")) return { ...result, content };
      const { structuredContent: _, ...rest } = result;
      return { ...rest, content };
    },
  };
}

function hasType(schema: object): boolean {
  return isObject(schema) && schema.type !== undefined;
}

/** Converts blocks that the client drops to text. */
function toText(block: ContentBlock): ContentBlock {
  switch (block.type) {
    case "resource_link":
      return { type: "text", text: `${block.title ?? block.name}: ${block.uri}` };
    case "resource":
      return { type: "text", text: block.resource.text ?? `The resource ${block.resource.uri} is not text.` };
    case "audio":
      return {
        type: "text",
        text: `The result has a sound of type ${block.mimeType}, which this client does not play.`,
      };
    default:
      return block;
  }
}
