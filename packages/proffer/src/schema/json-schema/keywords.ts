import { isObject } from "../../protocol/messages.ts";
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

/** Keywords that only Proffer defines. */
const profferKeywords: ReadonlySet<string> = new Set(["unsafePattern"]);

/** The name and the test of each shape; `any` and `schema` are not tested here. */
export const shapes: ReadonlyMap<Shape, { readonly name: string; test(value: unknown): boolean }> = new Map([
  ["boolean", { name: "a boolean", test: (value: unknown) => typeof value === "boolean" }],
  [
    "count",
    { name: "an integer of at least 0", test: (value: unknown) => Number.isInteger(value) && Number(value) >= 0 },
  ],
  ["list", { name: "an array", test: Array.isArray }],
  ["names", { name: "an array of strings", test: isNames }],
  ["nameLists", { name: "an object of arrays of strings", test: isNameLists }],
  ["number", { name: "a finite number", test: Number.isFinite }],
  ["positive", { name: "a number above 0", test: (value: unknown) => Number.isFinite(value) && Number(value) > 0 }],
  ["string", { name: "a string", test: (value: unknown) => typeof value === "string" }],
  ["types", { name: `one of ${[...typeRules.keys()].join(", ")}, or an array of them`, test: isTypes }],
  ["schemaList", { name: "a non-empty array of schemas", test: isFilledArray }],
  ["schemaMap", { name: "an object of schemas", test: isObject }],
]);

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function isNameLists(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isNames);
}

function isTypes(value: unknown): boolean {
  const types = Array.isArray(value) ? value : [value];
  return types.length > 0 && types.every((type) => typeRules.has(type));
}

function isFilledArray(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** Returns a schema without the keywords that only Proffer defines, or the same object if it has none. */
export function publishable(schema: JsonSchema): JsonSchema {
  if (typeof schema === "boolean") return schema;
  let changed = false;
  const entries: [string, unknown][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const stripped = profferKeywords.has(keyword) ? undefined : mapKeyword(keyword, value, publishable);
    if (stripped !== value) changed = true;
    if (stripped !== undefined) entries.push([keyword, stripped]);
  }
  return changed ? Object.fromEntries(entries) : schema;
}

/** Returns the value of a keyword with its subschemas changed, or the same value if none changes. */
export function mapKeyword(keyword: string, value: unknown, change: (schema: JsonSchema) => JsonSchema): unknown {
  switch (keywords.get(keyword)) {
    case "schema":
      return change(value as JsonSchema);
    case "schemaList": {
      const list = value as readonly JsonSchema[];
      const changed = list.map(change);
      return changed.some((item, i) => item !== list[i]) ? changed : value;
    }
    case "schemaMap": {
      const entries = Object.entries(value as Record<string, JsonSchema>);
      const changed = entries.map(([name, item]) => [name, change(item)] as const);
      return changed.some(([, item], i) => item !== entries[i]?.[1]) ? Object.fromEntries(changed) : value;
    }
    default:
      return value;
  }
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
