import type { JsonSchema, JsonSchemaObject } from "proffer";
import { compileJsonSchema, isAnnotation } from "proffer/derived";

/** The types of JSON values. `integer` is a part of `number`. */
export type ValueType = "null" | "boolean" | "number" | "integer" | "string" | "array" | "object";

const VALUE_TYPES: readonly ValueType[] = ["null", "boolean", "number", "string", "array", "object"];

const MAX_HOPS = 20;

/** A keyword of a schema by its name; the schema may have keywords of other validators. */
export function keywordOf(schema: JsonSchemaObject, keyword: string): unknown {
  return Object.hasOwn(schema, keyword) ? (schema as { readonly [keyword: string]: unknown })[keyword] : undefined;
}

/** The schema in a map of schemas; undefined if the map has no such name. */
export function memberOf(map: { readonly [name: string]: JsonSchema } | undefined, name: string) {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}

/** One version of a schema, with what is needed to compare its parts. */
export class SchemaVersion {
  readonly root: JsonSchema;
  readonly definitions: string;
  readonly #accepts = new Map<JsonSchema, ((value: unknown) => boolean) | undefined>();

  constructor(schema: JsonSchema) {
    this.root = withoutAnnotations(schema);
    this.definitions = typeof this.root === "object" ? textOf(this.root.$defs ?? {}) : "";
  }

  /** Whether a reference names something else than a definition, so that its meaning depends on the whole schema. */
  get usesRoot(): boolean {
    return OTHER_REFERENCE.test(textOf(this.root));
  }

  /** The schema that a reference names; undefined if it cannot be resolved. */
  resolve(reference: string): JsonSchema | undefined {
    if (reference === "#") return this.root;
    if (!reference.startsWith("#/")) return undefined;
    let found: unknown = this.root;
    for (const token of reference.slice(2).split("/")) {
      const name = decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
      found = (found as { readonly [name: string]: unknown })[name];
    }
    return typeof found === "object" || typeof found === "boolean" ? (found as JsonSchema) : undefined;
  }

  /** The definition that a schema is only a reference to, so that a type has one identity wherever it is used. */
  dereference(schema: JsonSchema): JsonSchema {
    if (typeof schema === "boolean" || schema.$ref === undefined || Object.keys(schema).length > 1) return schema;
    return this.resolve(schema.$ref) ?? schema;
  }

  /** The schema behind references; undefined for `true`, `false` and a circle of references. */
  follow(schema: JsonSchema): JsonSchemaObject | undefined {
    let found: JsonSchema | undefined = schema;
    for (let hops = 0; typeof found === "object" && found.$ref !== undefined; hops++) {
      if (hops > MAX_HOPS) return undefined;
      found = this.resolve(found.$ref);
    }
    return typeof found === "object" ? found : undefined;
  }

  /** Whether a part of the schema accepts a value; undefined if the validator does not support the part. */
  accepts(part: JsonSchema, value: unknown): boolean | undefined {
    if (typeof part === "boolean") return part;
    if (!this.#accepts.has(part)) this.#accepts.set(part, this.#compile(part));
    return this.#accepts.get(part)?.(value);
  }

  #compile(part: JsonSchemaObject): ((value: unknown) => boolean) | undefined {
    const { $defs } = typeof this.root === "object" ? this.root : {};
    const whole = $defs === undefined ? part : { ...part, $defs };
    // Any other reference would name something else in the part.
    if (OTHER_REFERENCE.test(textOf(whole))) return undefined;
    try {
      const compiled = compileJsonSchema(whole);
      return (value) => compiled.check(value);
    } catch {
      return undefined;
    }
  }
}

const OTHER_REFERENCE = /"\$ref":"#(?!\/\$defs\/)/;

const texts = new WeakMap<object, string>();

/** Serializes a value with sorted keys. */
export function textOf(schema: unknown): string {
  if (typeof schema !== "object" || schema === null) return JSON.stringify(schema) ?? "null";
  const known = texts.get(schema);
  if (known !== undefined) return known;
  const text = serialize(schema);
  texts.set(schema, text);
  return text;
}

function serialize(value: object): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${textOf(item)}`)
    .join()}}`;
}

/**
 * Whether a keyword describes a schema only. `x-mcp-header` does not: a call without the header is refused. `$defs` does,
 * but references need it.
 */
function isDescription(keyword: string): boolean {
  return isAnnotation(keyword) && keyword !== "$defs" && keyword !== "x-mcp-header";
}

const SCHEMA_LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const SCHEMA_MAPS = new Set(["$defs", "dependentSchemas", "patternProperties", "properties"]);
const SCHEMAS = new Set([
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** Returns a schema without the keywords that only describe it, at every level. */
function withoutAnnotations(schema: JsonSchema): JsonSchema {
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => !isDescription(keyword));
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, strip(keyword, value)]));
}

function strip(keyword: string, value: unknown): unknown {
  if (SCHEMAS.has(keyword)) return withoutAnnotations(value as JsonSchema);
  if (SCHEMA_LISTS.has(keyword) && Array.isArray(value)) return value.map(withoutAnnotations);
  if (!SCHEMA_MAPS.has(keyword) || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutAnnotations(part)]));
}

/** The types that a value may have by a list of schemas that all apply to it. */
export function typesOf(schemas: readonly JsonSchemaObject[]): readonly ValueType[] {
  let types: readonly ValueType[] = VALUE_TYPES;
  for (const { type } of schemas) {
    if (type === undefined) continue;
    const allowed = (typeof type === "string" ? [type] : type) as readonly ValueType[];
    const kept = types.filter((each) => allowed.includes(each) || (each === "integer" && allowed.includes("number")));
    const narrowed = types.includes("number") && !allowed.includes("number") && allowed.includes("integer");
    types = narrowed ? [...kept, "integer"] : kept;
  }
  return types;
}

/** The type of a value. */
function typeOfValue(value: unknown): ValueType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value as ValueType;
}

/** The values that a list of schemas allows, if there are only some; a few of them may be refused by other keywords. */
export function valuesOf(schemas: readonly JsonSchemaObject[]): readonly unknown[] | undefined {
  const types = typesOf(schemas);
  const lists = schemas.flatMap((schema) => [
    ...("const" in schema ? [[schema.const]] : []),
    ...(schema.enum === undefined ? [] : [schema.enum]),
  ]);
  const [first, ...others] = lists;
  if (first !== undefined) {
    const least: readonly unknown[] = others.reduce((best, next) => (next.length < best.length ? next : best), first);
    return least.filter((value) => {
      const type = typeOfValue(value);
      return types.includes(type) || (type === "integer" && types.includes("number"));
    });
  }
  if (types.some((type) => type !== "null" && type !== "boolean")) return undefined;
  return types.flatMap((type): unknown[] => (type === "null" ? [null] : [true, false]));
}
