import { isObject, type JsonObject } from "../protocol/messages.ts";
import type { ToolDescription } from "../protocol/model.ts";
import { mapKeyword } from "../schema/json-schema/keywords.ts";
import type { JsonSchema } from "../schema/json-schema/types.ts";
import { utf8Length } from "../support/bytes.ts";
import type { Effect } from "./losses.ts";
import type { SchemaRules } from "./profile.ts";

type Found = readonly [Effect, string];

/** Constraints that the descriptions also state, and keywords that say nothing about values. */
const STATED = [
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern"],
  ...["format", "minItems", "maxItems", "uniqueItems", "default", "contentEncoding", "const"],
  ...["$schema", "$comment", "title", "deprecated", "readOnly", "writeOnly", "contentMediaType"],
];

/** What a client refuses or loses of the schemas of a tool. */
export function findSchemaLosses(tool: ToolDescription, rules: SchemaRules): Found[] {
  const { inputSchema, outputSchema, description = "" } = tool;
  const parts = everySchema(inputSchema as JsonSchema);
  const found: Found[] = [];
  const root = inputSchema as JsonObject;
  const union = ["anyOf", "oneOf", "allOf"].find((keyword) => root[keyword] !== undefined);
  if (rules.refusesRootUnion && union !== undefined) found.push(["refuses", `${union} at the root of the arguments`]);
  if (rules.needsProperties && parts.some((part) => hasType(part, "object") && part.properties === undefined))
    found.push(["refuses", "an object without properties"]);
  if (rules.needsItems && parts.some((part) => hasType(part, "array") && part.items === undefined))
    found.push(["refuses", "an array without items"]);
  if (rules.refusesDialect && parts.some((part) => part.$schema !== undefined)) found.push(["refuses", "$schema"]);
  if (rules.refusesOutputUnion && outputSchema !== undefined && (outputSchema as JsonObject).type === undefined)
    found.push(["risks", "an output schema without a type, which broke connections"]);
  if (rules.ignoresReferences && parts.some((part) => part.$ref !== undefined))
    found.push(["drops", "references, which stay unresolved"]);
  if (rules.maxDescription !== undefined && description.length > rules.maxDescription)
    found.push(["cuts", `the description after ${rules.maxDescription} characters`]);
  const dropped = droppedKeywords(parts, rules);
  if (dropped.length > 0) found.push(["drops", dropped.join(", ")]);
  const bytes = utf8Length(JSON.stringify(inputSchema));
  if (rules.maxBytes !== undefined && bytes > rules.maxBytes)
    found.push(["cuts", `descriptions of arguments, because their schema has ${bytes} of ${rules.maxBytes} bytes`]);
  return found;
}

function droppedKeywords(parts: readonly JsonObject[], { keeps, drops = [] }: SchemaRules): string[] {
  const used = new Set(parts.flatMap((part) => Object.keys(part)));
  const lost = (keyword: string) => (keeps === undefined ? drops.includes(keyword) : !keeps.includes(keyword));
  return [...used].filter((keyword) => lost(keyword) && !STATED.includes(keyword) && !keyword.startsWith("x-"));
}

function hasType({ type }: JsonObject, name: string): boolean {
  return Array.isArray(type) ? type.includes(name) : type === name;
}

/** A schema and all schemas in it. */
function everySchema(schema: JsonSchema): JsonObject[] {
  if (!isObject(schema)) return [];
  const all: JsonObject[] = [schema];
  for (const [keyword, value] of Object.entries(schema)) {
    mapKeyword(keyword, value, (part) => {
      all.push(...everySchema(part));
      return part;
    });
  }
  return all;
}
