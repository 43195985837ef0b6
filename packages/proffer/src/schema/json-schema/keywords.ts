import { isObject } from "../../protocol/messages.ts";
import { without } from "../../protocol/revisions/revision.ts";
import { typeRules } from "./rule.ts";
import type { JsonSchema, JsonSchemaObject } from "./types.ts";

/** The shape of a keyword's value. The last three contain subschemas. */
export type Shape =
  | "any"
  | "boolean"
  | "count"
  | "list"
  | "names"
  | "nameLists"
  | "number"
  | "positive"
  | "string"
  | "types"
  | "schema"
  | "schemaList"
  | "schemaMap";

const KEYWORDS_BY_SHAPE: Readonly<Record<Shape, readonly string[]>> = {
  any: ["const", "contentSchema", "default", "examples"],
  boolean: ["deprecated", "readOnly", "uniqueItems", "unsafePattern", "writeOnly"],
  count: [
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
  ],
  list: ["enum"],
  names: ["required"],
  nameLists: ["dependentRequired"],
  number: ["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"],
  positive: ["multipleOf"],
  string: [
    "$anchor",
    "$comment",
    "$id",
    "$ref",
    "$schema",
    "contentEncoding",
    "contentMediaType",
    "description",
    "format",
    "pattern",
    "title",
  ],
  types: ["type"],
  schema: ["additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"],
  schemaList: ["allOf", "anyOf", "oneOf", "prefixItems"],
  schemaMap: ["$defs", "dependentSchemas", "patternProperties", "properties"],
};

/**
 * The supported keywords. All others are rejected: ignoring one would accept values that its author meant to forbid.
 */
export const keywords: ReadonlyMap<string, Shape> = new Map(
  Object.entries(KEYWORDS_BY_SHAPE).flatMap(([shape, names]) => names.map((name) => [name, shape as Shape])),
);

/** Keywords whose subschemas apply to the same value as the schema that contains them. */
export const inPlaceKeywords: ReadonlySet<string> = new Set([
  "allOf",
  "anyOf",
  "dependentSchemas",
  "else",
  "if",
  "not",
  "oneOf",
  "then",
]);

/** Keywords that do not validate. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  "$anchor",
  "$comment",
  "$defs",
  "$id",
  "$schema",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
  "default",
  "deprecated",
  "description",
  "examples",
  "readOnly",
  "title",
  "unsafePattern",
  "writeOnly",
]);

/** Whether a keyword describes the schema and does not validate values. */
export function isAnnotation(keyword: string): boolean {
  return ANNOTATIONS.has(keyword) || keyword.startsWith("x-");
}

/** The name and the test of each shape; `any` and `schema` are not tested here. */
export const shapes: { readonly [Name in Shape]?: { readonly name: string; test(value: unknown): boolean } } = {
  boolean: { name: "a boolean", test: (value) => typeof value === "boolean" },
  count: { name: "an integer of at least 0", test: (value) => Number.isInteger(value) && Number(value) >= 0 },
  list: { name: "an array", test: Array.isArray },
  names: { name: "an array of strings", test: isNames },
  nameLists: {
    name: "an object of arrays of strings",
    test: (value) => isObject(value) && Object.values(value).every(isNames),
  },
  number: { name: "a finite number", test: Number.isFinite },
  positive: { name: "a number above 0", test: (value) => Number.isFinite(value) && Number(value) > 0 },
  string: { name: "a string", test: (value) => typeof value === "string" },
  types: { name: `one of ${[...typeRules.keys()].join(", ")}, or an array of them`, test: isTypes },
  schemaList: { name: "a non-empty array of schemas", test: (value) => Array.isArray(value) && value.length > 0 },
  schemaMap: { name: "an object of schemas", test: isObject },
};

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function isTypes(value: unknown): boolean {
  const types = Array.isArray(value) ? value : [value];
  return types.length > 0 && types.every((type) => typeRules.has(type));
}

/** Returns a schema without the keywords that only Proffer defines, or the same object if it has none. */
export function publishable(schema: JsonSchema): JsonSchema {
  return typeof schema === "boolean" ? schema : without(mapAll(schema, publishable), "unsafePattern");
}

/** Returns the subschemas of a keyword. */
export function subschemas(keyword: string, value: unknown): readonly JsonSchema[] {
  const shape = keywords.get(keyword);
  if (shape === "schema") return [value as JsonSchema];
  const hasMany = (shape === "schemaList" || shape === "schemaMap") && typeof value === "object" && value !== null;
  return hasMany ? Object.values(value) : [];
}

/** Returns the value of a keyword with its subschemas changed, or the same value if none changes. */
export function mapKeyword(keyword: string, value: unknown, change: (schema: JsonSchema) => JsonSchema): unknown {
  const parts = subschemas(keyword, value);
  const changed = parts.map((part) => change(part));
  if (changed.every((part, i) => part === parts[i])) return value;
  if (Array.isArray(value)) return changed;
  if (keywords.get(keyword) === "schema") return changed[0];
  return Object.fromEntries(Object.keys(value as object).map((name, i) => [name, changed[i]]));
}

/** Returns a schema with its subschemas changed, or the same object if none changes. */
export function mapAll(
  schema: JsonSchemaObject,
  change: (schema: JsonSchema, keyword: string) => JsonSchema,
): JsonSchemaObject {
  let changed: { [keyword: string]: unknown } | undefined;
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword];
    // Most values are texts, which contain no schema.
    if (typeof value !== "object") continue;
    const mapped = mapKeyword(keyword, value, (part) => change(part, keyword));
    if (mapped === value) continue;
    changed ??= { ...schema };
    changed[keyword] = mapped;
  }
  return changed ?? schema;
}

/** Whether a schema allows a type by name. */
export function includesType({ type }: JsonSchemaObject, name: string): boolean {
  return typeof type === "string" ? type === name : (type?.includes(name) ?? false);
}
