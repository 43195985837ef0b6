import type { CallResult, ContentBlock, JsonSchema, ToolDescription } from "proffer";
import { mapKeyword } from "proffer/derived";
import { isObject, type Members } from "../terminal/json.ts";
import { type Cut, type ModelTool, Refusal } from "./cut.ts";
import { cutOf } from "./cuts.ts";
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

/** Finds the parts of a list of tools that a client refuses or loses. */
export function findLosses(profile: Profile, server: string, tools: readonly ToolDescription[]): Loss[] {
  return [...viewEach(profile, server, tools)].flatMap(({ losses }) => losses);
}

/** A tool of the server's list, and its losses. */
interface ToolView {
  readonly tool: string;
  readonly losses: readonly Loss[];
  /** Absent if the client leaves the tool out. */
  readonly seen?: ModelTool;
}

/**
 * Looks at the tools one after the other, so that a caller may pause: the schemas of a hostile server can be large.
 * @param only - the tool to look at; the names of the others still count.
 */
export function* viewEach(
  profile: Profile,
  server: string,
  tools: readonly ToolDescription[],
  only?: string,
): Iterable<ToolView> {
  const { maxDescription } = profile.schemas?.value ?? {};
  const { max = Number.POSITIVE_INFINITY, beyond } = profile.tools?.value ?? {};
  const rules = profile.toolNames?.value;
  const cut = cutOf(profile);
  const names = cut.names(
    server,
    tools.map((tool) => tool.name),
  );
  const used = new Map<string, string>();
  for (const [i, tool] of tools.entries()) {
    const { name: original, description } = tool;
    const name = names[i] ?? original;
    const other = used.get(name);
    used.set(name, original);
    if (only !== undefined && original !== only) continue;
    const found = findSchemaLosses(tool, profile.schemas?.value ?? {});
    const inputSchema = cutOrRefuse(cut, tool.inputSchema);
    if (typeof inputSchema === "string") found.push(["refuses", inputSchema]);
    if (i >= max && beyond === "omitted") found.push(["omits", `every tool after the first ${max}`]);
    if (rules !== undefined) found.push(...nameLosses(rules, server, original, name));
    if (other !== undefined) found.push(["omits", `the name ${name}, which ${other} has too`]);
    const losses = found.map(([effect, what]) => ({ client: profile.id, tool: original, effect, what }));
    const isGone = found.some(([effect]) => effect === "omits" || effect === "refuses");
    const shown = description === undefined ? {} : { description: description.slice(0, maxDescription) };
    const seen = { ...tool, ...shown, name, inputSchema: inputSchema as ToolDescription["inputSchema"], original };
    yield { tool: original, losses, ...(!isGone && { seen }) };
  }
}

/** Returns the schema as the model gets it, or why the client refuses it. */
function cutOrRefuse(cut: Cut, schema: object): object | string {
  try {
    return cut.input(schema);
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
  const root = inputSchema as Members;
  const union = ["anyOf", "oneOf", "allOf"].find((keyword) => root[keyword] !== undefined);
  if (rules.refusesRootUnion && union !== undefined) found.push(["refuses", `${union} at the root of the arguments`]);
  if (rules.needsProperties && parts.some((part) => hasType(part, "object") && part.properties === undefined))
    found.push(["refuses", "an object without properties"]);
  if (rules.needsItems && parts.some((part) => hasType(part, "array") && part.items === undefined))
    found.push(["refuses", "an array without items"]);
  if (rules.refusesDialect && parts.some((part) => part.$schema !== undefined)) found.push(["refuses", "$schema"]);
  if (rules.refusesOutputUnion && outputSchema !== undefined && (outputSchema as Members).type === undefined)
    found.push(["risks", "an output schema without a type, which broke connections"]);
  if (rules.ignoresReferences && parts.some((part) => part.$ref !== undefined))
    found.push(["drops", "references, which stay unresolved"]);
  if (rules.maxDescription !== undefined && description.length > rules.maxDescription)
    found.push(["cuts", `the description after ${rules.maxDescription} characters`]);
  const dropped = droppedKeywords(parts, rules);
  if (dropped.length > 0) found.push(["drops", dropped.join(", ")]);
  const bytes = Buffer.byteLength(JSON.stringify(inputSchema));
  if (rules.maxBytes !== undefined && bytes > rules.maxBytes)
    found.push(["cuts", `descriptions of arguments, because their schema has ${bytes} of ${rules.maxBytes} bytes`]);
  return found;
}

function droppedKeywords(parts: readonly Members[], { keeps, drops = [] }: SchemaRules): string[] {
  const used = new Set(parts.flatMap((part) => Object.keys(part)));
  const lost = (keyword: string) => (keeps === undefined ? drops.includes(keyword) : !keeps.includes(keyword));
  return [...used].filter((keyword) => lost(keyword) && !STATED.includes(keyword) && !keyword.startsWith("x-"));
}

function hasType({ type }: Members, name: string): boolean {
  return Array.isArray(type) ? type.includes(name) : type === name;
}

/** A schema and all schemas in it. */
function everySchema(schema: JsonSchema, all: Members[] = []): Members[] {
  if (!isObject(schema)) return all;
  all.push(schema);
  for (const [keyword, value] of Object.entries(schema)) {
    mapKeyword(keyword, value, (part) => {
      everySchema(part, all);
      return part;
    });
  }
  return all;
}

/** Returns the tools as the model sees them after the client's own cuts, without those that the client leaves out. */
export function toolsSeenBy(profile: Profile, server: string, tools: readonly ToolDescription[]): ModelTool[] {
  return [...viewEach(profile, server, tools)].flatMap(({ seen = [] }) => seen);
}

/** Returns the content of a result that reaches the model. */
export function resultSeenBy(profile: Profile, result: CallResult, tool: string): readonly ContentBlock[] {
  return cutOf(profile).result(result, tool);
}
