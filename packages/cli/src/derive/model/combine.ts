import { type DerivedSchema, isWithin, type JsonType, withNull } from "./json-schema.ts";

/** Larger schemas are compared by identity: they may share parts, so their text may be much larger than they are. */
const MAX_COMPARED = 100;

/** Returns a schema that accepts the values of each schema. */
export function anyOf(schemas: readonly DerivedSchema[]): DerivedSchema {
  return combine(schemas, false, false);
}

/**
 * Returns a schema that accepts the values of each schema, and null if `nullable`. `isDiscriminated` means that a value
 * can match only one of them.
 */
export function combine(all: readonly DerivedSchema[], nullable: boolean, isDiscriminated: boolean): DerivedSchema {
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
