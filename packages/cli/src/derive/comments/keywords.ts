import type { DerivedSchema, JsonType } from "../model/json-schema.ts";
import type { ValueText } from "./value-grammars.ts";

/** Appends a paragraph to a description. */
export function withParagraph(description: string | undefined, paragraph: string): string {
  return [description, paragraph].filter(Boolean).join("\n\n");
}

/** Appends a deprecation note to a description. */
export function withDeprecation(description: string | undefined, reason: string): string {
  return withParagraph(description, reason === "" ? "Deprecated." : `Deprecated: ${reason}`);
}

/** Returns the keywords of a deprecated value. */
export function deprecate(reason: string, { description }: DerivedSchema): DerivedSchema {
  return { deprecated: true, ...(reason && { description: withDeprecation(description, reason) }) };
}

/** Returns the keywords of a default; its text becomes a sentence, unless the description says the same. */
export function setDefault({ value, text }: ValueText, { description }: DerivedSchema): DerivedSchema {
  const isSaid = text === undefined || description?.includes(text);
  return {
    ...(value !== undefined && { default: value }),
    ...(!isSaid && { description: withParagraph(description, `Default: ${text}`) }),
  };
}

export function addExample({ value, text }: ValueText, { examples = [], description }: DerivedSchema): DerivedSchema {
  if (value !== undefined) return { examples: [...examples, value] };
  return { description: withParagraph(description, `Example:\n${text}`) };
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
