import { type Format, formats } from "./formats.ts";
import { matches, type Pattern } from "./pattern.ts";
import { createRule, type Explain, type Rule } from "./rule.ts";
import { charge, countOf } from "./run.ts";
import type { JsonSchemaObject } from "./types.ts";

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
      report.add(pointer, `must have at most ${countOf(maxLength, "character")} (has ${countCodePoints(value)})`);
      return;
    }
    if (isTooShort(value, minLength)) {
      report.add(pointer, `must have at least ${countOf(minLength, "character")} (has ${countCodePoints(value)})`);
    }
    if (pattern !== undefined && !matches(pattern, value)) {
      report.add(pointer, `must match the pattern ${pattern.source}`);
    }
    if (format !== undefined && !hasFormat(format, value)) {
      report.add(pointer, `must be a valid ${schema.format}, for example "${format.example}"`);
    }
  };

  return createRule(check, explain);
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

/** Compiles the numeric keywords. `allowOthers` is the result for values of other types. */
export function compileNumber(schema: JsonSchemaObject, integer: boolean, allowOthers: boolean): Rule {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const least = minimum ?? Number.NEGATIVE_INFINITY;
  const most = maximum ?? Number.POSITIVE_INFINITY;
  // The comparison is strict even without the keyword, which rejects the infinities. Every comparison rejects NaN.
  const above = exclusiveMinimum ?? Number.NEGATIVE_INFINITY;
  const isMultiple = multipleOf === undefined ? undefined : createMultipleTest(multipleOf);
  const below = exclusiveMaximum ?? Number.POSITIVE_INFINITY;

  function check(value: unknown): boolean {
    if (typeof value !== "number") return allowOthers;
    if (!(value >= least && value <= most && value > above && value < below)) return false;
    if (integer && !Number.isInteger(value)) return false;
    return isMultiple === undefined || isMultiple(value);
  }

  const explain: Explain = (value, pointer, report) => {
    const typed = typeof value === "number" && Number.isFinite(value) && (!integer || Number.isInteger(value));
    if (!typed) {
      if (!check(value)) report.addType(pointer, integer ? "integer" : "number");
      return;
    }
    if (value < least) report.add(pointer, `must be >= ${least}`);
    if (value > most) report.add(pointer, `must be <= ${most}`);
    if (value <= above) report.add(pointer, `must be > ${above}`);
    if (value >= below) report.add(pointer, `must be < ${below}`);
    if (isMultiple !== undefined && !isMultiple(value)) {
      report.add(pointer, `must be a multiple of ${multipleOf}`);
    }
  };

  return createRule(check, explain);
}

/** Beyond 15 digits, two different decimals may be the same double. */
const EXACT = 1e15;

/**
 * Creates a test for multiples of a number. Both are compared as decimals: 0.3 is a multiple of 0.1, although the
 * quotient of the two doubles is not an integer.
 */
export function createMultipleTest(divisor: number): (value: number) => boolean {
  const decimal = toDecimal(divisor);
  if (Number.isSafeInteger(divisor)) {
    return (value) =>
      Number.isSafeInteger(value) ? value % divisor === 0 : Number.isInteger(value) && isMultipleOf(value, decimal);
  }
  const { digits, exponent } = decimal;
  const unit = Number(`1e${-exponent}`);
  const step = Number(digits);
  return (value) => {
    const count = Math.round(value * unit);
    if (step > EXACT || unit > EXACT || Math.abs(count) > EXACT) return isMultipleOf(value, decimal);
    // The division is rounded correctly, so it returns `value` if and only if `value` is `count` units.
    return count / unit === value && count % step === 0;
  };
}

/** Compares with big integers, which takes about a microsecond. */
function isMultipleOf(value: number, divisor: Decimal): boolean {
  if (!charge(40)) return false;
  const { digits, exponent } = toDecimal(value);
  const shift = exponent - divisor.exponent;
  return (digits * power(shift)) % (divisor.digits * power(-shift)) === 0n;
}

interface Decimal {
  digits: bigint;
  exponent: number;
}

function toDecimal(value: number): Decimal {
  const [mantissa = "0", exponent] = value.toExponential().split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/**
 * Returns a power of ten, 1 for a negative exponent. The digits of a double are less than 10^17, which is less than 2^57:
 * a factor of 10^57 has more twos and fives than any divisor, and is larger than any value, so more makes no difference.
 */
function power(exponent: number): bigint {
  return 10n ** BigInt(Math.min(Math.max(exponent, 0), 57));
}
