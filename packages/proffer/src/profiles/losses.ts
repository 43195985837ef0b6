import { isObject, type JsonObject } from "../protocol/messages.ts";
import type { ToolDescription } from "../protocol/model.ts";
import { mapKeyword } from "../schema/json-schema/keywords.ts";
import type { JsonSchema } from "../schema/json-schema/types.ts";
import { utf8Length } from "../support/bytes.ts";
import { Refusal } from "./cuts/cut.ts";
import { cutOf } from "./find.ts";
import type { NameRules, Profile, SchemaRules } from "./profile.ts";

/**
 * `refuses`: the client or its API does not accept the tool, or no tool of the server. `omits`: the tool is not shown.
 * `cuts`: a part is missing. `drops`: keywords or types are missing. `risks`: it was a problem, and may be one.
 */
export type Effect = "refuses" | "omits" | "cuts" | "drops" | "risks";

/** A change that a client makes to a tool, to the disadvantage of its model. */
export interface Loss {
  readonly client: Profile["id"];
  readonly tool: string;
  readonly effect: Effect;
  /** The part that is refused or missing, in words. */
  readonly what: string;
}

/** The effect on a tool, and the words of `Loss`. */
type Found = readonly [Effect, string];

/** Finds what a client refuses or loses of a list of tools. */
export function findLosses(profile: Profile, server: string, tools: readonly ToolDescription[]): Loss[] {
  const { max = Number.POSITIVE_INFINITY, beyond } = profile.tools?.value ?? {};
  const rules = profile.toolNames?.value;
  const cut = cutOf(profile);
  const names = cut.names(
    server,
    tools.map((tool) => tool.name),
  );
  const used = new Map<string, string>();
  return tools.flatMap((tool, i) => {
    const found = findSchemaLosses(tool, profile.schemas?.value ?? {});
    const refusal = refusalOf(() => cut.input(tool.inputSchema));
    if (refusal !== undefined) found.push(["refuses", refusal]);
    if (i >= max && beyond === "omitted") found.push(["omits", `every tool after the first ${max}`]);
    const name = names[i] ?? tool.name;
    if (rules !== undefined) found.push(...nameLosses(rules, server, tool.name, name));
    const other = used.get(name);
    if (other !== undefined) found.push(["omits", `the name ${name}, which ${other} has too`]);
    used.set(name, tool.name);
    return found.map(([effect, what]) => ({ client: profile.id, tool: tool.name, effect, what }));
  });
}

function refusalOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

function nameLosses(rules: NameRules, server: string, tool: string, shown: string): Found[] {
  const { pattern, characters, strict, max = Number.POSITIVE_INFINITY, beyond } = rules;
  const full = pattern.replace("{server}", () => server).replace("{tool}", () => tool);
  if (strict && !new RegExp(`^[${characters}]*$`).test(full))
    return [["refuses", `the name ${tool}: only ${characters} is allowed`]];
  if (full.length <= max) return [];
  if (beyond === "cut") return [["cuts", `the name to ${shown}`]];
  return [[beyond === "refused" ? "refuses" : "omits", `the name ${full}, which has more than ${max} characters`]];
}

/** Constraints that the descriptions also state, and keywords that say nothing about values. */
const STATED = [
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern"],
  ...["format", "minItems", "maxItems", "uniqueItems", "default", "contentEncoding", "const"],
  ...["$schema", "$comment", "title", "deprecated", "readOnly", "writeOnly", "contentMediaType"],
];

/** Finds the parts of a tool's schemas that a client refuses or loses. */
function findSchemaLosses(tool: ToolDescription, rules: SchemaRules): Found[] {
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
