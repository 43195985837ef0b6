/** What a keyword takes. The last three hold subschemas. */
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
    ...["maxContains", "maxItems", "maxLength", "maxProperties"],
    ...["minContains", "minItems", "minLength", "minProperties"],
  ],
  list: ["enum"],
  names: ["required"],
  nameLists: ["dependentRequired"],
  number: ["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"],
  positive: ["multipleOf"],
  string: [
    ...["$anchor", "$comment", "$id", "$ref", "$schema"],
    ...["contentEncoding", "contentMediaType", "description", "format", "pattern", "title"],
  ],
  types: ["type"],
  schema: ["additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"],
  schemaList: ["allOf", "anyOf", "oneOf", "prefixItems"],
  schemaMap: ["$defs", "dependentSchemas", "patternProperties", "properties"],
};

/** The keywords that are understood. Any other is refused, because ignoring one would admit what its author meant to forbid. */
export const keywords: ReadonlyMap<string, Shape> = new Map(
  Object.entries(KEYWORDS_BY_SHAPE).flatMap(([shape, names]) => names.map((name) => [name, shape as Shape])),
);

/** Keywords whose subschemas judge the same value as the schema around them. */
export const inPlaceKeywords: ReadonlySet<string> = new Set([
  ...["allOf", "anyOf", "dependentSchemas", "else", "if", "not", "oneOf", "then"],
]);

/** Keywords that mean something to Proffer only. */
export const profferKeywords: ReadonlySet<string> = new Set(["unsafePattern"]);
