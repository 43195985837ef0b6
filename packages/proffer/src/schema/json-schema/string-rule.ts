import type { Format } from "./date-and-uuid.ts";
import { formats } from "./formats.ts";
import type { Pattern } from "./pattern.ts";
import { countOf } from "./report.ts";
import { createRule, type Explain, type Rule } from "./rule.ts";
import { charge } from "./run.ts";
import type { JsonSchemaObject } from "./types.ts";

/** Whether a text matches a pattern. Beyond the work limit it does not. */
export function matches({ regex, degree, width }: Pattern, text: string): boolean {
  const { length } = text;
  return charge(4 + ((degree === 1 ? 2 * length : length ** degree) * width) / 8) && regex.test(text);
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

  function check(value: unknown): boolean {
    if (typeof value !== "string") return allowOthers;
    // Lengths are checked first, because they bound the cost of a pattern.
    if (isTooLong(value, maxLength) || isTooShort(value, minLength)) return false;
    return (pattern === undefined || matches(pattern, value)) && (format === undefined || hasFormat(format, value));
  }

  const explain: Explain = (value, pointer, report) => {
    if (typeof value !== "string") {
      if (!allowOthers) report.addType(pointer, "string");
      return;
    }
    if (isTooLong(value, maxLength)) {
      report.add(pointer, `must have at most ${characterCount(maxLength)} (has ${countCodePoints(value)})`);
      return;
    }
    if (isTooShort(value, minLength)) {
      report.add(pointer, `must have at least ${characterCount(minLength)} (has ${countCodePoints(value)})`);
    }
    if (pattern !== undefined && !matches(pattern, value)) {
      report.add(pointer, `must match the pattern ${pattern.regex.source}`);
    }
    if (format !== undefined && !hasFormat(format, value)) {
      report.add(pointer, `must be a valid ${schema.format}, for example "${format.example}"`);
    }
  };

  return createRule(check, explain);
}

function characterCount(count: number): string {
  return countOf(count, "character", "characters");
}

function hasFormat(format: Format, text: string): boolean {
  return charge(12 + text.length / 4) && format.check(text);
}

function isTooLong(text: string, maxLength: number): boolean {
  return text.length > maxLength && isLonger(text, maxLength);
}

function isTooShort(text: string, minLength: number): boolean {
  return text.length < minLength || (text.length < 2 * minLength && !isLonger(text, minLength - 1));
}

/** Whether a text has more than `limit` code points; a text of more than twice as many units need not be read. */
function isLonger(text: string, limit: number): boolean {
  if (text.length > 2 * limit) return true;
  return countCodePoints(text) > limit;
}

function countCodePoints(text: string): number {
  let count = text.length;
  if (!charge(count / 8)) return count;
  for (let i = 1; i < text.length; i++) {
    if (isBetween(text.charCodeAt(i - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(i), 0xdc00, 0xdfff)) count--;
  }
  return count;
}

function isBetween(code: number, low: number, high: number): boolean {
  return code >= low && code <= high;
}
