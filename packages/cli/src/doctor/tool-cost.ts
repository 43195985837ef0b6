import { tokensOf } from "proffer/derived";
import { bytesOf } from "../derive/model/tool-size.ts";

/** What a tool costs every conversation, in estimated tokens. */
export interface ToolCost {
  readonly name: string;
  readonly tokens: number;
  readonly description: number;
  readonly parameters: number;
  readonly output: number;
}

/** A part of what a model reads of a tool, in estimated tokens. */
export interface CostPart {
  readonly kind: "description" | "parameter" | "definition" | "rest";
  /** Of a parameter or a definition. */
  readonly name?: string;
  readonly tokens: number;
  /** Of these, the texts that describe it, and the values that it lists. */
  readonly descriptions: number;
  readonly enums: number;
}

/** The part of a listed tool that is measured. */
interface MeasuredTool {
  readonly name: string;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
}

/** Parts of a tool that are named; more of them are one part. A server may list thousands of parameters. */
const MAX_PARTS = 100;
/** Levels of a schema that are looked at. */
const MAX_DEPTH = 100;

export function costOf(tool: MeasuredTool): ToolCost {
  const { name, description, inputSchema, outputSchema } = tool;
  return {
    name,
    tokens: tokensIn(tool),
    description: tokensIn(description),
    parameters: tokensIn(inputSchema),
    output: tokensIn(outputSchema),
  };
}

/** Returns the parts of a tool without its output schema, which few clients give to a model; the most expensive first. */
export function costParts(tool: MeasuredTool): CostPart[] {
  const { tokens, output, description } = costOf(tool);
  const { properties, $defs, definitions } = membersOf(tool.inputSchema);
  const named = [
    ...partsIn("parameter", properties),
    ...partsIn("definition", $defs),
    ...partsIn("definition", definitions),
  ];
  const parts = named.sort((a, b) => b.tokens - a.tokens).slice(0, MAX_PARTS);
  const known = parts.reduce((sum, part) => sum + part.tokens, description);
  // Parts are rounded, so that their sum may be a little more than the whole.
  const rest: CostPart = { kind: "rest", tokens: Math.max(0, tokens - output - known), descriptions: 0, enums: 0 };
  const own: CostPart = { kind: "description", tokens: description, descriptions: description, enums: 0 };
  return [...(description > 0 ? [own] : []), ...parts, rest];
}

function partsIn(kind: "parameter" | "definition", schemas: unknown): CostPart[] {
  return Object.entries(membersOf(schemas)).map(([name, schema]) => {
    const bytes = { descriptions: 0, enums: 0 };
    measure(schema, bytes, 0);
    return {
      kind,
      name,
      tokens: tokensIn({ [name]: schema }),
      descriptions: tokensOf(bytes.descriptions),
      enums: tokensOf(bytes.enums),
    };
  });
}

/** Adds the bytes of the descriptions and enums of a schema. A property may have the name of a keyword. */
function measure(schema: unknown, bytes: { descriptions: number; enums: number }, depth: number): void {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(schema)) for (const each of schema) measure(each, bytes, depth + 1);
  for (const [keyword, value] of Object.entries(membersOf(schema))) {
    if (keyword === "description" && typeof value === "string") bytes.descriptions += bytesOf(value);
    else if (keyword === "enum" && Array.isArray(value)) bytes.enums += bytesOf(value);
    else if (MAPS.has(keyword)) measure(Object.values(membersOf(value)), bytes, depth + 1);
    else if (!VALUES.has(keyword)) measure(value, bytes, depth + 1);
  }
}

/** Keywords whose members are named by the author. */
const MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions"]);
/** Keywords whose values are no schemas. */
const VALUES: ReadonlySet<string> = new Set(["const", "default", "examples"]);

/** A server may list anything. */
function membersOf(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function tokensIn(part: unknown): number {
  return part === undefined ? 0 : tokensOf(bytesOf(part));
}
