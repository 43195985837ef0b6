import { UsageError } from "../../support/usage-error.ts";
import { createParam, type Param, ParamIssue, type ParamOptions } from "./param.ts";

export interface CharsetOptions extends ParamOptions {
  /** Maximum length in UTF-16 code units. Default: 512. */
  readonly maxLength?: number;
}

const MAX_LENGTH = 512;
const ASCII = 128;

/** Accepts text of the given characters: `charset("A-Za-z0-9_.-")`. A "-" at the start or end is literal. */
export function charset(set: string, options: CharsetOptions = {}): Param<string, false> {
  const { maxLength = MAX_LENGTH } = options;
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
export function tooLong(text: string, limit: number): ParamIssue {
  return new ParamIssue("length", `has ${text.length} characters; the limit is ${limit}`, { limit });
}

function parseSet(set: string): { ascii: Uint8Array; ranges: [from: number, to: number][] } {
  const ascii = new Uint8Array(ASCII);
  const ranges: [number, number][] = [];
  const points = Array.from(set, (char) => char.codePointAt(0) ?? 0);
  if (points.length === 0) throw new UsageError("bad_option", "param.charset() needs characters, such as A-Za-z0-9_.-");
  for (let at = 0; at < points.length; at++) {
    const from = points[at] ?? 0;
    const isRange = points[at + 1] === 45 && at + 2 < points.length;
    const to = isRange ? (points[at + 2] ?? 0) : from;
    if (isRange) at += 2;
    if (to < from) {
      const range = `${String.fromCodePoint(from)}-${String.fromCodePoint(to)}`;
      throw new UsageError(
        "bad_option",
        `param.charset(${JSON.stringify(set)}): the range ${range} is in reverse order.`,
      );
    }
    for (let point = from; point <= to && point < ASCII; point++) ascii[point] = 1;
    if (to >= ASCII) ranges.push([Math.max(from, ASCII), to]);
  }
  return { ascii, ranges };
}
