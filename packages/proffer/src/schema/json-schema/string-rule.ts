import { formats } from "./formats.ts";
import { countOf } from "./report.ts";
import { createRule, type Explain, type Rule } from "./rule.ts";
import { chargeText } from "./run.ts";
import type { JsonSchemaObject } from "./types.ts";

/** A regular expression, and the degree of the polynomial in the text length that bounds its cost. */
export interface Pattern {
  readonly regex: RegExp;
  readonly degree: number;
}

/** Compiles the string keywords. `allowOthers` is the result for values of other types. */
export function compileString(
  schema: JsonSchemaObject,
  pattern: Pattern | undefined,
  allowOthers: boolean,
): Rule | undefined {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  const format = formats.get(schema.format ?? "");
  const bounded = schema.minLength !== undefined || schema.maxLength !== undefined;
  if (!bounded && pattern === undefined && format === undefined) return undefined;
  const degree = pattern?.degree ?? 1;
  const reads = pattern !== undefined || format !== undefined;

  function check(value: unknown): boolean {
    if (typeof value !== "string") return allowOthers;
    // Lengths are checked first, because they bound the cost of a pattern.
    if (value.length > maxLength && isLonger(value, maxLength)) return false;
    if (value.length < minLength || (value.length < 2 * minLength && !isLonger(value, minLength - 1))) return false;
    if (!reads) return true;
    if (!chargeText(value.length, degree)) return false;
    return (pattern === undefined || pattern.regex.test(value)) && (format === undefined || format.check(value));
  }

  const explain: Explain = (value, pointer, report) => {
    if (typeof value !== "string") {
      if (!allowOthers) report.addType(pointer, "string");
      return;
    }
    if (check(value)) return;
    const length = countCodePoints(value);
    if (length > maxLength) {
      report.add(pointer, `must have at most ${characterCount(maxLength)} (has ${length})`);
      return;
    }
    if (length < minLength) report.add(pointer, `must have at least ${characterCount(minLength)} (has ${length})`);
    if (!reads || !chargeText(value.length, degree)) return;
    if (pattern !== undefined && !pattern.regex.test(value)) {
      report.add(pointer, `must match the pattern ${pattern.regex.source}`);
    }
    if (format !== undefined && !format.check(value)) {
      report.add(pointer, `must be a valid ${schema.format}, for example "${format.example}"`);
    }
  };

  return createRule(check, explain);
}

function characterCount(count: number): string {
  return countOf(count, "character", "characters");
}

/** Whether a text has more than `limit` code points; a text of more than twice as many units need not be read. */
function isLonger(text: string, limit: number): boolean {
  if (text.length > 2 * limit) return true;
  return countCodePoints(text) > limit;
}

function countCodePoints(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    if (isBetween(text.charCodeAt(i - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(i), 0xdc00, 0xdfff)) count--;
  }
  return count;
}

function isBetween(code: number, low: number, high: number): boolean {
  return code >= low && code <= high;
}
