import * as known from "../schema/json-schema/formats.ts";
import { compilePattern, type Pattern } from "../schema/json-schema/pattern.ts";
import { UsageError } from "../support/usage-error.ts";
import { createParam, PARAM, type Param, ParamIssue, type ParamOptions } from "./param.ts";

export interface CharsetOptions extends ParamOptions {
  /** Maximum length in UTF-16 code units. Default: 512. */
  readonly maxLength?: number;
}

const MAX_CHARSET_LENGTH = 512;
const ASCII = 128;

/** Accepts text of the given characters: `charset("A-Za-z0-9_.-")`. A "-" at the start or end is literal. */
export function charset(set: string, options: CharsetOptions = {}): Param<string, false> {
  const { maxLength = MAX_CHARSET_LENGTH } = options;
  const { ascii, ranges } = parseSet(set);
  return createParam(
    options,
    (text) => {
      if (text === "") return new ParamIssue("length", "is empty", { limit: 1 });
      if (text.length > maxLength) return tooLong(text, maxLength);
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at);
        if (code < ASCII && ascii[code] === 1) continue;
        const point = text.codePointAt(at) ?? code;
        if (code < ASCII || !ranges.some(([from, to]) => point >= from && point <= to)) {
          const char = String.fromCodePoint(point);
          return new ParamIssue(
            "character",
            `contains the character ${JSON.stringify(char)}; allowed characters: ${set}`,
            { char },
          );
        }
        if (point > 0xffff) at++;
      }
      return text;
    },
    set,
  );
}

/** Creates the issue for a text over the length limit. */
function tooLong(text: string, limit: number): ParamIssue {
  return new ParamIssue("length", `has ${text.length} characters; the limit is ${limit}`, { limit });
}

function parseSet(set: string): { ascii: Uint8Array; ranges: [from: number, to: number][] } {
  const ascii = new Uint8Array(ASCII);
  const ranges: [number, number][] = [];
  const points = Array.from(set, (char) => char.codePointAt(0) ?? 0);
  if (points.length === 0) throw new UsageError("param.charset() needs characters, such as A-Za-z0-9_.-");
  for (let at = 0; at < points.length; at++) {
    const from = points[at] ?? 0;
    const isRange = points[at + 1] === 45 && at + 2 < points.length;
    const to = isRange ? (points[at + 2] ?? 0) : from;
    if (isRange) at += 2;
    if (to < from) {
      const range = `${String.fromCodePoint(from)}-${String.fromCodePoint(to)}`;
      throw new UsageError(`param.charset(${JSON.stringify(set)}): the range ${range} is in reverse order.`);
    }
    for (let point = from; point <= to && point < ASCII; point++) ascii[point] = 1;
    if (to >= ASCII) ranges.push([Math.max(from, ASCII), to]);
  }
  return { ascii, ranges };
}

/** Accepts a UUID of any version, in upper or lower case. */
export function uuid(options: ParamOptions = {}): Param<string, false> {
  return format("uuid", known.uuid, "is not a UUID", options);
}

/** Accepts a calendar date, such as 2026-01-31. */
export function date(options: ParamOptions = {}): Param<string, false> {
  return format("date", known.date, "is not a date", options);
}

/** Accepts one of the given strings. Clients receive them as completions. */
export function oneOf<const Choice extends string>(...choices: readonly Choice[]): Param<Choice, false> {
  if (choices.length === 0) throw new UsageError("param.oneOf() needs at least one value.");
  const known = new Set<string>(choices);
  const reason = `is not one of ${choices.join(", ")}`;
  return createParam({}, (text) => (known.has(text) ? (text as Choice) : new ParamIssue("enum", reason)), choices);
}

function format(
  name: "date" | "uuid",
  { check, example }: known.Format,
  reason: string,
  options: ParamOptions,
): Param<string, false> {
  return createParam(options, (text) => (check(text) ? text : new ParamIssue(name, `${reason}, such as ${example}`)), {
    format: name,
  });
}

export interface PatternOptions extends ParamOptions {
  /**
   * Maximum length in UTF-16 code units; longer values are rejected without running the expression. Default: 1,024.
   */
  readonly maxLength?: number;
}

const MAX_PATTERN_LENGTH = 1024;

/**
 * Accepts a string that matches a regular expression as a whole, whether or not the expression is anchored. The time is
 * linear in the text. @throws {UsageError} for flags other than `u`, and for a back reference
 */
export function pattern(source: RegExp, options: PatternOptions = {}): Param<string, false> {
  const { maxLength = MAX_PATTERN_LENGTH } = options;
  const { regex, test } = toAnchored(source);
  return createParam(
    options,
    (text) => {
      if (text.length > maxLength) return tooLong(text, maxLength);
      return test(text) ? text : new ParamIssue("pattern", `does not match ${source.source}`);
    },
    regex,
  );
}

function toAnchored(given: RegExp): { readonly regex: RegExp; readonly test: Pattern["test"] } {
  // An automaton reads the source literally: "i" would merge letters that it keeps apart, "m" would move anchors.
  if (!/^[du]*$/.test(given.flags)) {
    throw new UsageError(
      `Unsupported flags in ${given}: a parameter pattern may only have the flag u. To ignore case, write [Aa].`,
    );
  }
  const anchored = `^(?:${given.source})$`;
  try {
    return { regex: new RegExp(anchored, "u"), test: compilePattern(anchored).test };
  } catch (cause) {
    if (!(cause instanceof RangeError))
      throw new UsageError(`${given} is not a valid regular expression with the flag u.`, "bad_option", { cause });
    throw new UsageError(
      `${given} ${cause.message}, so a hostile value could make it very slow. Rewrite it without that, or use param.charset().`,
      "unsafe_pattern",
    );
  }
}

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
      const value = parseInteger(text, min < 0, plus);
      if (value === undefined)
        return new ParamIssue("integer", text === "" ? "is empty; expected digits" : "is not an integer");
      if (value > max) return new ParamIssue("max", `is greater than ${max}`, { limit: max });
      if (value < min) return new ParamIssue("min", `is less than ${min}`, { limit: min });
      return value;
    },
  };
}

/** Parses the digits. A number beyond the safe range is rounded; `max` rejects it in any case. */
function parseInteger(text: string, minus: boolean, plus: boolean): number | undefined {
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
    throw new UsageError(`param.integer(): ${name} must be a safe integer, not ${value}.`);
  }
  if (min > max) throw new UsageError(`param.integer(): min (${min}) is greater than max (${max}).`);
  const fallback = options.default;
  if (fallback === undefined || (fallback >= min && fallback <= max)) return;
  throw new UsageError(`param.integer(): the default (${fallback}) must be between ${min} and ${max}.`);
}

/** Accepts a relative path of plain segments that means the same on every operating system. */
export function path(options: ParamOptions = {}): Param<string, false> {
  return createParam(options, (text) => {
    const reason = pathProblem(text);
    return reason === undefined ? text : new ParamIssue("path", reason);
  });
}

/** Accepts any text without NUL and dot segments, so that it is safe as a path. For undeclared variables. */
export const ANY_TEXT: Param<string, false> = createParam({}, (text) => {
  if (text.indexOf(".") === -1 && text.indexOf("%") === -1 && text.indexOf("\0") === -1) return text;
  if (text.includes("\0")) return new ParamIssue("path", "contains a NUL character");
  return hasDotSegment(text) || hasDotSegment(decodedAgain(text))
    ? new ParamIssue("path", `contains a segment "." or ".."`)
    : text;
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for control characters
const CONTROL = /[\u0000-\u001f\u007f]/;
/** Names that Windows treats as devices, in any folder and with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;
const DRIVE = /^[A-Za-z]:/;

/** Returns the problem with a relative path, or undefined if it is safe. The text follows the path in messages. */
export function pathProblem(text: string): string | undefined {
  if (text === "") return "is empty";
  if (CONTROL.test(text)) return "contains a control character";
  if (text.includes("\\")) return "contains a backslash";
  if (text.startsWith("/")) return "starts with a slash";
  if (DRIVE.test(text)) return "starts with a drive letter";
  for (const segment of text.split("/")) {
    const problem = segmentProblem(segment);
    if (problem !== undefined) return problem;
  }
  const again = decodedAgain(text);
  // Code further on might decode once more than we do.
  if (again !== text && (hasDotSegment(again) || again.includes("\\") || again.includes("\0")))
    return "is percent-encoded twice";
  return undefined;
}

function segmentProblem(segment: string): string | undefined {
  if (segment === "") return "contains an empty segment";
  if (segment === "." || segment === "..") return `contains the segment "${segment}"`;
  if (segment.includes(":")) return `contains a colon in the segment "${segment}"`;
  if (segment.endsWith(".") || segment.endsWith(" ")) return "contains a segment that ends with a dot or a space";
  if (DEVICE.test(segment)) return `contains the device name "${segment}"`;
  return undefined;
}

const DOT_SEGMENT = /(?:^|[/\\])\.{1,2}(?:$|[/\\])/;

function hasDotSegment(text: string): boolean {
  return DOT_SEGMENT.test(text);
}

function decodedAgain(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Checks for the variables of a resource's URI.
 *
 * @example
 * defineResource({
 *   uri: "orders://{id}{?limit}",
 *   name: "Order",
 *   params: { id: param.pattern(/\d+/), limit: param.integer({ default: 10, max: 100 }) },
 *   read: ({ id, limit }) => loadOrder(id, limit), // id: string, limit: number
 * });
 */
export const param = { charset, date, integer, oneOf, path, pattern, uuid };
