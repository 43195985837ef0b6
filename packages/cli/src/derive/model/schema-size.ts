import type { JsonSchema, JsonSchemaObject } from "proffer";
import { tokensOf } from "proffer/derived";

/** What a tool costs each client and model that reads its entry in the list. */
export interface ToolSize {
  readonly name: string;
  /** The bytes of the entry as JSON in UTF-8. */
  readonly bytes: number;
  /** An estimate: tokenizers differ by some percent. */
  readonly tokens: number;
  /** The levels of properties and items below the arguments or the result; to the first repetition if `recursive`. */
  readonly depth: number;
  /** A type contains itself, so values can be deeper. */
  readonly recursive: boolean;
  readonly inputBytes: number;
  readonly outputBytes: number;
}

/** A tool as it is listed. */
interface ListedTool {
  readonly name: string;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
}

/** Measures a tool. */
export function sizeOfTool(tool: ListedTool): ToolSize {
  const { name, inputSchema, outputSchema } = tool;
  const bytes = bytesOf(tool);
  const input = depthOf(inputSchema as JsonSchemaObject);
  const output =
    outputSchema === undefined ? { depth: 0, recursive: false } : depthOf(outputSchema as JsonSchemaObject);
  return {
    name,
    bytes,
    tokens: tokensOf(bytes),
    depth: Math.max(input.depth, output.depth),
    recursive: input.recursive || output.recursive,
    inputBytes: bytesOf(inputSchema),
    outputBytes: outputSchema === undefined ? 0 : bytesOf(outputSchema),
  };
}

/** Returns the bytes of a value as JSON. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}

/** Returns the definition that a schema refers to. */
export function definitionOf(root: JsonSchemaObject, { $ref }: JsonSchemaObject): JsonSchemaObject | undefined {
  const name = $ref?.startsWith("#/$defs/") ? $ref.slice("#/$defs/".length) : undefined;
  const found = name === undefined ? undefined : root.$defs?.[name.replaceAll("~1", "/").replaceAll("~0", "~")];
  return typeof found === "object" ? found : undefined;
}

/** A part of a schema. `step` is its place in a value, such as `.name` or `[]`; empty for the same value. */
export interface SchemaPart {
  readonly step: string;
  readonly schema: JsonSchemaObject;
}

/** Returns the direct parts of a schema, without definitions. */
export function partsOf(schema: JsonSchemaObject): SchemaPart[] {
  const { properties = {}, patternProperties = {}, additionalProperties, prefixItems = [], items } = schema;
  const same = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const all: [string, JsonSchema | undefined][] = [
    ...Object.entries(properties).map(([name, part]): [string, JsonSchema] => [`.${name}`, part]),
    ...Object.values(patternProperties).map((part): [string, JsonSchema] => ["[key]", part]),
    ["[key]", additionalProperties],
    ...prefixItems.map((part, index): [string, JsonSchema] => [`[${index}]`, part]),
    ["[]", items],
    ...same.map((part): [string, JsonSchema] => ["", part]),
  ];
  return all.flatMap(([step, part]) => (typeof part === "object" ? [{ step, schema: part }] : []));
}

function depthOf(root: JsonSchemaObject): { depth: number; recursive: boolean } {
  // The depth of each definition; undefined while it is computed.
  const known = new Map<JsonSchemaObject, number | undefined>();
  let recursive = false;
  return { depth: measure(root), recursive };

  function measure(schema: JsonSchemaObject): number {
    const parts = partsOf(schema).map((part) => measure(part.schema) + (part.step === "" ? 0 : 1));
    const definition = definitionOf(root, schema);
    return Math.max(0, ...parts, definition === undefined ? 0 : measureDefinition(definition));
  }

  function measureDefinition(definition: JsonSchemaObject): number {
    if (known.has(definition)) {
      const depth = known.get(definition);
      recursive ||= depth === undefined;
      return depth ?? 0;
    }
    known.set(definition, undefined);
    const depth = measure(definition);
    known.set(definition, depth);
    return depth;
  }
}
