import type { JsonSchema, JsonSchemaObject } from "proffer";
import { tokensOf } from "proffer/derived";

/** The cost of a tool for each client and model that reads its entry in the list. */
export interface ToolSize {
  readonly name: string;
  /** The bytes of the entry as JSON in UTF-8, without `_meta`, which no model sees. */
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
  readonly _meta?: object | undefined;
}

/** Measures a tool. */
export function sizeOfTool(tool: ListedTool): ToolSize {
  const { name, inputSchema, outputSchema } = tool;
  const bytes = bytesOf({ ...tool, _meta: undefined });
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
interface SchemaPart {
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
    const definition = definitionOf(root, schema);
    const own = definition === undefined ? 0 : measureDefinition(definition);
    const depths = partsOf(schema).map((part) => measure(part.schema) + (part.step === "" ? 0 : 1));
    return depths.reduce((most, depth) => Math.max(most, depth), own);
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

/** How often a schema refers to each definition. */
type References = ReadonlyMap<JsonSchemaObject, number>;

/** Weighs the parts of a schema. Each definition is read once: a schema of a library has thousands of parts. */
export function weighSchema(root: JsonSchemaObject) {
  const { $defs: _, ...rest } = root;
  const body: JsonSchemaObject = rest;
  const references = new Map<JsonSchemaObject, References>();
  const sizes = new Map<JsonSchemaObject, number>();
  const whole = reach(() => undefined);

  /** Returns the bytes of the body and the definitions that it needs, ignoring some references of a schema. */
  function reach(ignored: (schema: JsonSchemaObject) => References | undefined): number {
    const used = new Set([body]);
    let bytes = 0;
    // The set grows while it is read.
    for (const schema of used) {
      bytes += sizeOf(schema);
      const less = ignored(schema);
      for (const [definition, times] of referencesOf(schema)) {
        if (times > (less?.get(definition) ?? 0)) used.add(definition);
      }
    }
    return bytes;
  }

  function sizeOf(schema: JsonSchemaObject): number {
    const known = sizes.get(schema) ?? bytesOf(schema);
    sizes.set(schema, known);
    return known;
  }

  function referencesOf(schema: JsonSchemaObject): References {
    const known = references.get(schema);
    if (known !== undefined) return known;
    const found = new Map<JsonSchemaObject, number>();
    const waiting = [schema];
    for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
      const definition = definitionOf(root, part);
      if (definition) found.set(definition, (found.get(definition) ?? 0) + 1);
      for (const inner of partsOf(part)) waiting.push(inner.schema);
    }
    references.set(schema, found);
    return found;
  }

  return {
    /** The schema without its definitions. */
    body,
    /**
     * Returns the bytes that the schema would not have without a part, with the definitions that nothing else uses.
     * @param holder - the body or the definition that contains the part
     */
    without(part: JsonSchemaObject, holder: JsonSchemaObject): number {
      const own = referencesOf(part);
      return whole - reach((schema) => (schema === holder ? own : undefined)) + sizeOf(part);
    },
  };
}
