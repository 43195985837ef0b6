import { type DerivedSchema, type JsonType, withNull } from "./json-schema.ts";

/** Returns a schema that accepts the values of each schema. */
export function anyOf(schemas: readonly DerivedSchema[]): DerivedSchema {
  return combine(schemas, false, false);
}

/**
 * Returns a schema that accepts the values of each schema, and null if `nullable`. `isDiscriminated` means that a value
 * can match only one of them.
 */
export function combine(all: readonly DerivedSchema[], nullable: boolean, isDiscriminated: boolean): DerivedSchema {
  // Types that differ only at compile time, such as brands, have equal schemas.
  const schemas = [...new Map(all.map((schema) => [JSON.stringify(schema), schema])).values()];
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

/** Returns the type of a schema that has no other keyword. */
function bareType(schema: DerivedSchema): JsonType | undefined {
  return Object.keys(schema).length === 1 && typeof schema.type === "string" ? schema.type : undefined;
}
