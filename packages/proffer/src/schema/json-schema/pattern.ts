import { type PatternCost, patternCost } from "./pattern-safety.ts";
import { rejectSchema } from "./reject-schema.ts";
import type { JsonSchemaObject } from "./types.ts";

/** A regular expression and its cost. */
export interface Pattern extends PatternCost {
  readonly regex: RegExp;
}

/** The maximum number of steps of a match that only `maxLength` bounds. */
const MAX_STEPS = 1e7;

/**
 * Compiles the regular expression of `pattern` or `patternProperties`.
 *
 * A pattern that can take exponential time is rejected, and so is one that can take more than quadratic time, unless
 * `maxLength` limits the steps. Quadratic time is allowed, because many common patterns are quadratic
 * (`[^\s@]+\.[^\s@]+`). Each match is charged, so that a text of more than about 6,000 characters exceeds the work
 * limit.
 */
export function compilePattern(source: string, schema: JsonSchemaObject, place: string): Pattern {
  const regex = createRegex(source, place);
  if (schema.unsafePattern === true) return { regex, degree: 1, width: 1 };
  const { degree, width } = patternCost(source);
  if (degree > 2 && !((schema.maxLength ?? Number.POSITIVE_INFINITY) ** degree <= MAX_STEPS)) {
    const isPolynomial = Number.isFinite(degree);
    const cost = isPolynomial ? `time that grows with the length to the power of ${degree}` : "exponential time";
    const limit = isPolynomial ? `set "maxLength" to at most ${Math.floor(MAX_STEPS ** (1 / degree))}, ` : "";
    const trust = `add "unsafePattern": true if you trust all texts`;
    const remedy = `Rewrite it so that a text can match in only one way, ${limit}or ${trust}`;
    rejectSchema(
      place,
      `is the pattern ${source}, which can take ${cost} on a hostile text. ${remedy}`,
      "unsafe_pattern",
    );
  }
  return { regex, degree, width };
}

function createRegex(source: string, place: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return rejectSchema(place, `is not a valid regular expression with the flag u: ${reason}`);
  }
}
