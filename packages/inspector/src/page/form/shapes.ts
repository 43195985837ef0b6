import type { Shape } from "./field.ts";
import { type LooseSchema, numberOf, stringOf } from "./read-schema.ts";

/** From this length a text gets an area. */
const LONG_TEXT = 120;
export const NUMBER_LIMITS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const TEXT_LIMITS = ["minLength", "maxLength"];

export function limits(schema: LooseSchema, keywords: readonly string[]): { [keyword: string]: number } {
  const found = keywords.flatMap((keyword) => {
    const value = numberOf(schema[keyword]);
    return value === undefined ? [] : [[keyword, value] as const];
  });
  return Object.fromEntries(found);
}

export function textShape(schema: LooseSchema): Shape {
  const format = stringOf(schema.format);
  const pattern = stringOf(schema.pattern);
  const most = numberOf(schema.maxLength);
  const isLine = format !== undefined || pattern !== undefined || (most !== undefined && most < LONG_TEXT);
  return {
    kind: "text",
    area: !isLine,
    ...limits(schema, TEXT_LIMITS),
    ...(format !== undefined && { format }),
    ...(pattern !== undefined && { pattern }),
  };
}

const IMPLIED: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ["object", ["properties", "required", "additionalProperties", "patternProperties"]],
  ["array", ["items", "prefixItems"]],
  ["string", ["pattern", "format", "minLength", "maxLength"]],
  ["number", NUMBER_LIMITS],
];

/** The type that the keywords of a schema without `type` speak about, if it is one. */
export function impliedType(schema: LooseSchema): string | undefined {
  const found = IMPLIED.filter(([, keywords]) => keywords.some((keyword) => schema[keyword] !== undefined));
  return found.length === 1 ? found[0]?.[0] : undefined;
}
