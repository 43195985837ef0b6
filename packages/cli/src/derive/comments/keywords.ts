import type { DerivedSchema, Json, JsonType } from "../model/json-schema.ts";

/** Appends a deprecation note to a description. */
export function withDeprecation(description: string | undefined, reason: string): string {
  const sentence = reason === "" ? "Deprecated." : `Deprecated: ${reason}`;
  return description ? `${description}\n\n${sentence}` : sentence;
}

/** Returns the keywords of a deprecated value. */
export function deprecate(reason: string, { description }: DerivedSchema): DerivedSchema {
  return { deprecated: true, ...(reason && { description: withDeprecation(description, reason) }) };
}

export function addExample(value: Json, { examples = [] }: DerivedSchema): DerivedSchema {
  return { examples: [...examples, value] };
}

/** Returns the schema, and its alternatives, with `integer` in place of `number`. */
export function withInteger(schema: DerivedSchema): DerivedSchema {
  const { type, anyOf } = schema;
  const toInteger = (each: JsonType): JsonType => (each === "number" ? "integer" : each);
  return {
    ...schema,
    ...(type !== undefined && { type: typeof type === "string" ? toInteger(type) : type.map(toInteger) }),
    ...(anyOf && { anyOf: anyOf.map(withInteger) }),
  };
}
