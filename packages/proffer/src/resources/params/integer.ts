import { UsageError } from "../../support/usage-error.ts";
import { PARAM, type Param, ParamIssue, type ParamOptions } from "./param.ts";

export interface IntegerOptions extends ParamOptions {
  /** Stands for a value that the URI leaves out. */
  readonly default?: number;
  /** Default: 0, because most numbers in URIs count something. */
  readonly min?: number;
  /** Default: the largest integer that JavaScript counts exactly. */
  readonly max?: number;
  /** Whether "+5" is 5. Default: false. */
  readonly plus?: boolean;
}

const PLUS = 43;
const MINUS = 45;
const ZERO = 48;

/** A whole number in decimal digits. */
export function integer(options: IntegerOptions & { readonly default: number }): Param<number, true>;
export function integer(options?: IntegerOptions): Param<number, false>;
export function integer(options: IntegerOptions = {}): Param<number> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER, plus = false } = options;
  checkRange(options, min, max);
  return {
    [PARAM]: options.default !== undefined,
    label: options.label,
    fallback: options.default,
    check(text) {
      const value = parse(text, min < 0, plus);
      if (value === undefined)
        return new ParamIssue("integer", text === "" ? "is empty; give digits" : "is not an integer");
      if (value > max) return new ParamIssue("max", `is more than ${max}`, { limit: max });
      if (value < min) return new ParamIssue("min", `is less than ${min}`, { limit: min });
      return value;
    },
  };
}

/** The number, rounded where it is beyond every limit anyway. */
function parse(text: string, minus: boolean, plus: boolean): number | undefined {
  const sign = text.charCodeAt(0);
  const negative = sign === MINUS && minus;
  let at = negative || (sign === PLUS && plus) ? 1 : 0;
  if (at === text.length) return undefined;
  let value = 0;
  for (; at < text.length; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  // Zero has no sign in a URI.
  return negative && value > 0 ? -value : value;
}

function checkRange(options: IntegerOptions, min: number, max: number): void {
  for (const [name, value] of Object.entries({ default: options.default ?? min, min, max })) {
    if (Number.isSafeInteger(value)) continue;
    throw new UsageError("bad_option", `integer(): ${name} must be a safe integer, not ${value}.`);
  }
  if (min > max) throw new UsageError("bad_option", `integer(): min, ${min}, is more than max, ${max}.`);
  const fallback = options.default;
  if (fallback === undefined || (fallback >= min && fallback <= max)) return;
  throw new UsageError("bad_option", `integer(): the default, ${fallback}, is not between ${min} and ${max}.`);
}
