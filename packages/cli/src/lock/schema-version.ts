import type { JsonSchema, JsonSchemaObject } from "proffer";
import { isAnnotation } from "proffer/derived";

const MAX_HOPS = 20;
const OTHER_REFERENCE = /"\$ref":"#(?!\/\$defs\/)/;

/** One version of a schema, without the keywords that only describe values, and with its references. */
export class SchemaVersion {
  readonly root: JsonSchema;

  constructor(schema: JsonSchema) {
    this.root = withoutAnnotations(schema);
  }

  /** Whether equal references of two versions name equal schemas. */
  sharesReferences({ root }: SchemaVersion): boolean {
    const [own, other] = [this.root, root].map((each) => textOf(typeof each === "object" ? (each.$defs ?? {}) : {}));
    // Any other reference depends on the whole schema.
    return own === other && !OTHER_REFERENCE.test(textOf(this.root)) && !OTHER_REFERENCE.test(textOf(root));
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

  /** The schema behind a schema that is only a reference, so that a type has one identity wherever it is used. */
  follow(schema: JsonSchema): JsonSchema {
    let found = schema;
    for (let hops = 0; typeof found === "object" && found.$ref !== undefined && hops < MAX_HOPS; hops++) {
      const target = Object.keys(found).length > 1 ? undefined : this.resolve(found.$ref);
      if (target === undefined) return found;
      found = target;
    }
    return found;
  }
}

/** The schema in a map of schemas; undefined if the map has no such name. */
export function memberOf(map: { readonly [name: string]: JsonSchema } | undefined, name: string) {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}

const texts = new WeakMap<object, string>();

/** Serializes a value with sorted keys. */
export function textOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const text = texts.get(value) ?? serialize(value);
  texts.set(value, text);
  return text;
}

function serialize(value: object): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${textOf(item)}`).join()}}`;
}

/**
 * Whether a keyword describes a schema only. `x-mcp-header` does not: a call without the header is refused. `$defs` does,
 * but references need it.
 */
function isDescription(keyword: string): boolean {
  return isAnnotation(keyword) && keyword !== "$defs" && keyword !== "x-mcp-header";
}

/** Keywords whose members have names that the author chose. */
const MAPS = new Set(["$defs", "dependentSchemas", "patternProperties", "properties"]);
/** Keywords whose values are no schemas. */
const VALUES = new Set(["const", "enum", "required", "dependentRequired", "type"]);

/** Returns a schema without the keywords that only describe it, at every level. */
function withoutAnnotations<Part>(schema: Part): Part {
  if (Array.isArray(schema)) return schema.map(withoutAnnotations) as Part;
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => !isDescription(keyword));
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, strip(keyword, value)])) as Part;
}

function strip(keyword: string, value: unknown): unknown {
  if (VALUES.has(keyword)) return value;
  if (!MAPS.has(keyword) || typeof value !== "object" || value === null) return withoutAnnotations(value);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutAnnotations(part)]));
}

/** The alternatives of a schema: single values, and schemas of one type each where the type is known. */
export interface Alternatives {
  /** By their text. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly schemas: readonly JsonSchemaObject[];
}

const UNIONS = ["anyOf", "oneOf"] as const;
/** The levels that are searched for the property that distinguishes two alternatives. */
const MAX_DEPTH = 3;

/**
 * Returns the alternatives of a schema.
 * @param isStrict - whether each value must match: the alternatives of `oneOf` must then exclude each other, or the result
 * is undefined.
 */
export function alternativesOf(
  version: SchemaVersion,
  schema: JsonSchema,
  isStrict: boolean,
): Alternatives | undefined {
  const values = new Map<string, unknown>();
  const schemas: JsonSchemaObject[] = [];
  return collect(schema) ? { values, schemas } : undefined;

  function collect(each: JsonSchema): boolean {
    const found = version.follow(each);
    if (found === false) return true;
    if (found === true || found.$ref !== undefined) {
      schemas.push(found === true ? {} : found);
      return true;
    }
    const union = UNIONS.find((word) => word in found && Object.keys(found).length === 1);
    const branches = union && found[union];
    if (branches !== undefined) {
      if (isStrict && union === "oneOf" && !excludeEachOther(version, branches)) return false;
      return branches.every(collect);
    }
    for (const one of byType(found)) {
      const single = valuesOf(one);
      if (single === undefined) schemas.push(one);
      else for (const value of single) values.set(textOf(value), value);
    }
    return true;
  }
}

/** The values of a schema that consists of them; undefined of any other schema. */
function valuesOf(schema: JsonSchemaObject): readonly unknown[] | undefined {
  const { type, enum: list, const: only, ...rest } = schema;
  if (Object.keys(rest).length > 0) return undefined;
  if (list === undefined && !("const" in schema)) {
    if (type === "null") return [null];
    return type === "boolean" ? [true, false] : undefined;
  }
  if (list !== undefined && "const" in schema) return undefined;
  return (list ?? [only]).filter((value) => type === undefined || hasType(value, type));
}

/** Keywords that say nothing about null and booleans. */
const TYPED = new Set(
  "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format items prefixItems"
    .split(" ")
    .concat("minItems maxItems uniqueItems contains minContains maxContains properties patternProperties".split(" "))
    .concat("additionalProperties propertyNames required minProperties maxProperties dependentRequired".split(" ")),
);

/** Splits a schema by its types. */
function byType(schema: JsonSchemaObject): readonly JsonSchemaObject[] {
  if (schema.type === undefined) return [schema];
  return [schema.type].flat().map((type) => {
    const isPlain = type === "null" || type === "boolean";
    const kept = Object.entries(schema).filter(([keyword]) => !isPlain || !TYPED.has(keyword));
    return { ...Object.fromEntries(kept), type } as JsonSchemaObject;
  });
}

/** Whether a value has a type, or one of several. */
export function hasType(value: unknown, types: JsonSchemaObject["type"]): boolean {
  const name = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return [types].flat().some((type) => type === name || (type === "integer" && Number.isInteger(value)));
}

/** Whether a schema has a type and nothing else. */
export function isType(schema: JsonSchemaObject): boolean {
  return schema.type !== undefined && Object.keys(schema).length === 1;
}

function excludeEachOther(version: SchemaVersion, schemas: readonly JsonSchema[]): boolean {
  return schemas.every((schema, index) =>
    schemas.slice(index + 1).every((other) => areApart(version, schema, version, other)),
  );
}

/** Whether no value can match both schemas: their types or values differ, or those of a property that both require. */
export function areApart(
  first: SchemaVersion,
  one: JsonSchema,
  second: SchemaVersion,
  other: JsonSchema,
  depth = 0,
): boolean {
  if (depth > MAX_DEPTH) return false;
  const [a, b] = [alternativesOf(first, one, false), alternativesOf(second, other, false)];
  if (a === undefined || b === undefined) return false;
  const mayMatch = (value: unknown, { type }: JsonSchemaObject) => type === undefined || hasType(value, type);
  return (
    [...a.values].every(([text, value]) => !b.values.has(text) && !b.schemas.some((each) => mayMatch(value, each))) &&
    [...b.values.values()].every((value) => !a.schemas.some((each) => mayMatch(value, each))) &&
    a.schemas.every((x) => b.schemas.every((y) => haveOtherTypes(x, y) || haveOtherTags(x, y)))
  );

  function haveOtherTags(x: JsonSchemaObject, y: JsonSchemaObject): boolean {
    if (x.type !== "object" || y.type !== "object") return false;
    const shared = (x.required ?? []).filter((name) => y.required?.includes(name));
    return shared.some((name) => {
      const [p, q] = [memberOf(x.properties, name), memberOf(y.properties, name)];
      return p !== undefined && q !== undefined && areApart(first, p, second, q, depth + 1);
    });
  }
}

function haveOtherTypes({ type: one }: JsonSchemaObject, { type: other }: JsonSchemaObject): boolean {
  if (one === undefined || other === undefined) return false;
  const asNumber = (type: unknown) => (type === "integer" ? "number" : type);
  return asNumber(one) !== asNumber(other);
}

/** The alternatives for a line of output: their values and types, or whole schemas if these say too little. */
export function summaryOf({ values, schemas }: Alternatives): unknown {
  const named = schemas.map((each) => (isType(each) ? each.type : each));
  const all = [...values.values(), ...named];
  return all.length === 1 ? all[0] : all.map((each) => (each === null ? "null" : each));
}
