import { UsageError } from "../../support/usage-error.ts";
import { PARAM, type Param, ParamIssue, type ParamOptions } from "./param.ts";

export interface IntegerOptions extends ParamOptions {
  /** The value if the URI omits the variable. */
  readonly default?: number;
  /** Default: 0, because most numbers in URIs are counts. */
  readonly min?: number;
  /** Default: `Number.MAX_SAFE_INTEGER`. */
  readonly max?: number;
  /** Whether a leading "+" is allowed. Default: false. */
  readonly plus?: boolean;
}

const PLUS = 43;
const MINUS = 45;
const ZERO = 48;

/** Accepts an integer in decimal digits. */
export function integer(options: IntegerOptions & { readonly default: number }): Param<number, true>;
export function integer(options?: IntegerOptions): Param<number, false>;
export function integer(options: IntegerOptions = {}): Param<number> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER, plus = false } = options;
  checkRange(options, min, max);
  return {
    [PARAM]: options.default !== undefined,
    label: options.label,
    fallback: options.default,
    source: { type: "integer", minimum: min, maximum: max },
    check(text) {
      const value = parse(text, min < 0, plus);
      if (value === undefined)
        return new ParamIssue("integer", text === "" ? "is empty; expected digits" : "is not an integer");
      if (value > max) return new ParamIssue("max", `is greater than ${max}`, { limit: max });
      if (value < min) return new ParamIssue("min", `is less than ${min}`, { limit: min });
      return value;
    },
  };
}

/** Parses the digits. A number beyond the safe range is rounded; `max` rejects it in any case. */
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
  // -0 would differ from 0 under Object.is.
  return negative && value > 0 ? -value : value;
}

function checkRange(options: IntegerOptions, min: number, max: number): void {
  for (const [name, value] of Object.entries({ default: options.default ?? min, min, max })) {
    if (Number.isSafeInteger(value)) continue;
    throw new UsageError("bad_option", `param.integer(): ${name} must be a safe integer, not ${value}.`);
  }
  if (min > max) throw new UsageError("bad_option", `param.integer(): min (${min}) is greater than max (${max}).`);
  const fallback = options.default;
  if (fallback === undefined || (fallback >= min && fallback <= max)) return;
  throw new UsageError("bad_option", `param.integer(): the default (${fallback}) must be between ${min} and ${max}.`);
}
