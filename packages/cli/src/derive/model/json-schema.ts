/** What JSON can carry. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/** A JSON Schema 2020-12 object, limited to the keywords that the run-time's own validator compiles. */
export interface JsonSchema {
  type?: JsonType | JsonType[];
  const?: Json;
  enum?: Json[];
  title?: string;
  description?: string;
  default?: Json;
  examples?: Json[];
  deprecated?: boolean;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  patternProperties?: Record<string, JsonSchema>;
  propertyNames?: JsonSchema;
  additionalProperties?: JsonSchema | false;
  prefixItems?: JsonSchema[];
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  contentEncoding?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  not?: JsonSchema;
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
}

/** A copy of a schema whose direct subschemas went through `change`. */
export function mapSubschemas(schema: JsonSchema, change: (subschema: JsonSchema) => JsonSchema): JsonSchema {
  const copy = { ...schema };
  if (copy.properties) copy.properties = mapValues(copy.properties, change);
  if (copy.patternProperties) copy.patternProperties = mapValues(copy.patternProperties, change);
  if (copy.propertyNames) copy.propertyNames = change(copy.propertyNames);
  if (copy.additionalProperties) copy.additionalProperties = change(copy.additionalProperties);
  if (copy.prefixItems) copy.prefixItems = copy.prefixItems.map(change);
  if (copy.items) copy.items = change(copy.items);
  if (copy.anyOf) copy.anyOf = copy.anyOf.map(change);
  if (copy.oneOf) copy.oneOf = copy.oneOf.map(change);
  if (copy.not) copy.not = change(copy.not);
  return copy;
}

/** Calls `visit` with each direct subschema. */
export function forEachSubschema(schema: JsonSchema, visit: (subschema: JsonSchema) => void): void {
  mapSubschemas(schema, (subschema) => {
    visit(subschema);
    return subschema;
  });
}

/** The JSON types that a schema admits, as far as it says; undefined if it admits every one. A reference is an object. */
export function typesOf(schema: JsonSchema): Set<JsonType> | undefined {
  if (schema.type !== undefined) return new Set(Array.isArray(schema.type) ? schema.type : [schema.type]);
  if (schema.$ref !== undefined) return new Set(["object"]);
  const members = schema.anyOf ?? schema.oneOf;
  if (members === undefined) return undefined;
  const types = new Set<JsonType>();
  for (const member of members) {
    const admitted = typesOf(member);
    if (admitted === undefined) return undefined;
    for (const type of admitted) types.add(type);
  }
  return types;
}

/** The schema of one of these values. */
export function enumSchema(values: (string | number | boolean | null)[]): JsonSchema {
  const types = [...new Set(values.map((value) => (value === null ? "null" : (typeof value as JsonType))))];
  const type = types.length === 1 && types[0] !== undefined ? types[0] : types;
  const [only] = values;
  return values.length === 1 && only !== undefined ? { type, const: only } : { type, enum: values };
}

/** The same schema, with null allowed. */
export function withNull(schema: JsonSchema): JsonSchema {
  const { type, const: only, ...rest } = schema;
  if (only !== undefined && (only === null || typeof only !== "object"))
    return { ...enumSchema([only, null]), ...rest };
  if (type === undefined) return isOpen(schema) ? schema : { anyOf: [schema, { type: "null" }] };
  const types = Array.isArray(type) ? type : [type];
  if (types.includes("null")) return schema;
  return { ...schema, type: [...types, "null"], ...(schema.enum && { enum: [...schema.enum, null] }) };
}

function isOpen(schema: JsonSchema): boolean {
  return Object.keys(schema).every((key) => key === "description" || key === "title");
}

function mapValues(
  map: Record<string, JsonSchema>,
  change: (subschema: JsonSchema) => JsonSchema,
): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}
