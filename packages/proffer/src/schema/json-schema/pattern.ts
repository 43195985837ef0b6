import { patternDegree } from "./pattern-safety.ts";
import { rejectSchema } from "./schema-index.ts";
import type { Pattern } from "./string-rule.ts";
import type { JsonSchemaObject } from "./types.ts";

/** Steps that a match may take where only `maxLength` bounds it. */
const MAX_STEPS = 1e7;

/**
 * Makes the regular expression of `pattern` or `patternProperties`.
 *
 * What can take exponential time is refused, and so is what can take more than quadratic time, unless `maxLength` keeps it
 * small. Quadratic time is allowed, as much of what people write is quadratic (`[^\s@]+\.[^\s@]+`); it is charged for when
 * it is matched, so that a text of more than some 6,000 characters ends as too costly.
 */
export function compilePattern(source: string, schema: JsonSchemaObject, place: string): Pattern {
  const regex = createRegex(source, place);
  if (schema.unsafePattern === true) return { regex, degree: 1 };
  const degree = patternDegree(source);
  if (degree > 2 && !((schema.maxLength ?? Number.POSITIVE_INFINITY) ** degree <= MAX_STEPS)) {
    const cost = Number.isFinite(degree) ? `time with the power of ${degree} of its length` : "exponential time";
    const limit = Number.isFinite(degree)
      ? `set a "maxLength" of at most ${Math.floor(MAX_STEPS ** (1 / degree))}, `
      : "";
    const remedy = `let there be only one way to match a text, ${limit}or write "unsafePattern": true beside it if no text is hostile`;
    rejectSchema(
      place,
      `is the pattern ${source}, on which a hostile text can cost ${cost}; ${remedy}`,
      "unsafe_pattern",
    );
  }
  return { regex, degree };
}

function createRegex(source: string, place: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return rejectSchema(place, `is not a regular expression with the flag u (${reason}); correct it`);
  }
}
