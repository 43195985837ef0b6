import type { JsonSchema, JsonSchemaObject } from "proffer";

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/** The keywords of the run-time's schema type, without its index signature. */
type Keyword = keyof { [Name in keyof JsonSchemaObject as string extends Name ? never : Name]: unknown };

/**
 * A JSON Schema as derivation writes it: the run-time's type with narrower values. Subschemas are objects, except
 * `additionalProperties: false`, and values are JSON.
 */
export type DerivedSchema = {
  readonly [Name in Keyword]?: Name extends "type"
    ? JsonType | readonly JsonType[]
    : Name extends "additionalProperties"
      ? DerivedSchema | false
      : Narrowed<Exclude<JsonSchemaObject[Name], undefined>>;
};

/** The type of a keyword's value with `DerivedSchema` in place of `JsonSchema`, and `Json` in place of `unknown`. */
type Narrowed<Value> = unknown extends Value
  ? Json
  : [JsonSchema] extends [Value]
    ? DerivedSchema
    : Value extends readonly (infer Item)[]
      ? readonly Narrowed<Item>[]
      : Value extends { readonly [name: string]: infer Item }
        ? { readonly [name: string]: Narrowed<Item> }
        : Value;

/** A schema with something else in place of its subschemas. */
type Mapped<Inner> = {
  readonly [Name in Keyword]?: Inner | readonly Inner[] | { readonly [name: string]: Inner } | DerivedSchema[Name];
};

/** Returns a copy of a schema whose direct subschemas are replaced by `change`. */
export function mapSubschemas(
  schema: DerivedSchema,
  change: (subschema: DerivedSchema) => DerivedSchema,
): DerivedSchema;
export function mapSubschemas<Inner>(schema: DerivedSchema, change: (subschema: DerivedSchema) => Inner): Mapped<Inner>;
export function mapSubschemas<Inner>(
  schema: DerivedSchema,
  change: (subschema: DerivedSchema) => Inner,
): Mapped<Inner> {
  const mapped: { [keyword: string]: unknown } = { ...schema };
  for (const [keyword, holds] of SUBSCHEMAS) {
    const value: unknown = schema[keyword];
    if (!value) continue;
    if (holds === "one") mapped[keyword] = change(value as DerivedSchema);
    else if (holds === "list") mapped[keyword] = (value as DerivedSchema[]).map((each) => change(each));
    else mapped[keyword] = mapValues(value as SchemaMap, change);
  }
  return mapped as Mapped<Inner>;
}

/** The keywords with subschemas, in the order in which they are visited. */
const SUBSCHEMAS = [
  ["properties", "map"],
  ["patternProperties", "map"],
  ["propertyNames", "one"],
  ["additionalProperties", "one"],
  ["prefixItems", "list"],
  ["items", "one"],
  ["anyOf", "list"],
  ["oneOf", "list"],
  ["not", "one"],
] as const;

/** Calls `visit` with each direct subschema. */
export function forEachSubschema(schema: DerivedSchema, visit: (subschema: DerivedSchema) => void): void {
  mapSubschemas<void>(schema, visit);
}

/** Whether a schema and its subschemas are at most `max`. Stops counting beyond it. */
export function isWithin(schema: DerivedSchema, max: number): boolean {
  let left = max;
  function count(part: DerivedSchema): void {
    left--;
    if (left >= 0) forEachSubschema(part, count);
  }
  count(schema);
  return left >= 0;
}

/** Returns the JSON types that a schema accepts; undefined if it accepts every type. A reference means an object. */
export function typesOf(schema: DerivedSchema): Set<JsonType> | undefined {
  if (schema.type !== undefined) return new Set(typeList(schema.type));
  if (schema.$ref !== undefined) return new Set(["object"]);
  const members = schema.anyOf ?? schema.oneOf;
  if (members === undefined) return undefined;
  const types = new Set<JsonType>();
  for (const member of members) {
    const accepted = typesOf(member);
    if (accepted === undefined) return undefined;
    for (const type of accepted) types.add(type);
  }
  return types;
}

/** Returns a schema that accepts exactly these values. */
export function enumSchema(values: readonly (string | number | boolean | null)[]): DerivedSchema {
  const types = [...new Set(values.map((value) => (value === null ? "null" : (typeof value as JsonType))))];
  const type = types.length === 1 && types[0] !== undefined ? types[0] : types;
  const [only] = values;
  return values.length === 1 && only !== undefined ? { type, const: only } : { type, enum: values };
}

/** Returns the schema with null accepted too. */
export function withNull(schema: DerivedSchema): DerivedSchema {
  const { type, const: only, ...rest } = schema;
  if (only !== undefined && (only === null || typeof only !== "object"))
    return { ...enumSchema([only, null]), ...rest };
  if (type === undefined) {
    if (isOpen(schema) || (schema.anyOf ?? schema.oneOf)?.some((member) => member.type === "null")) return schema;
    return { anyOf: [schema, { type: "null" }] };
  }
  const types = typeList(type);
  if (types.includes("null")) return schema;
  return { ...schema, type: [...types, "null"], ...(schema.enum && { enum: [...schema.enum, null] }) };
}

/** Returns the value of `type` as a list. */
function typeList(type: JsonType | readonly JsonType[]): readonly JsonType[] {
  return typeof type === "string" ? [type] : type;
}

/** Whether a schema only describes, and accepts every value. */
export function isOpen(schema: DerivedSchema): boolean {
  return Object.keys(schema).every((key) => key === "description" || key === "title");
}

type SchemaMap = Exclude<DerivedSchema["properties"], undefined>;

function mapValues<Inner>(map: SchemaMap, change: (subschema: DerivedSchema) => Inner): { [name: string]: Inner } {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}

/** Larger schemas are compared by identity: they may share parts, so their text may be much larger than they are. */
const MAX_COMPARED = 100;

/**
 * Returns a schema that accepts the values of each schema, and null if `nullable`. `isDiscriminated` means that a value
 * can match only one of them.
 */
export function combine(all: readonly DerivedSchema[], nullable = false, isDiscriminated = false): DerivedSchema {
  const schemas = distinct(all);
  const [first] = schemas;
  if (schemas.length === 1 && first) return nullable ? withNull(first) : first;
  const types = schemas.map(bareType);
  if (types.every((type) => type !== undefined)) {
    const whole = new Set<JsonType>([...types, ...(nullable ? (["null"] as const) : [])]);
    return { type: [...whole] };
  }
  const members: DerivedSchema[] = nullable ? [...schemas, { type: "null" }] : schemas;
  return isDiscriminated ? { oneOf: members } : { anyOf: members };
}

/** Returns the schemas without repetitions. Types that differ only at compile time, such as brands, have equal schemas. */
export function distinct(schemas: readonly DerivedSchema[]): DerivedSchema[] {
  const keyOf = (schema: DerivedSchema) => (isWithin(schema, MAX_COMPARED) ? JSON.stringify(schema) : schema);
  return [...new Map(schemas.map((schema) => [keyOf(schema), schema])).values()];
}

/** Returns the type of a schema that has no other keyword. */
function bareType(schema: DerivedSchema): JsonType | undefined {
  return Object.keys(schema).length === 1 && typeof schema.type === "string" ? schema.type : undefined;
}
