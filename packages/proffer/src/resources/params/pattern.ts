import { patternDegree } from "../../schema/json-schema/pattern-safety.ts";
import { UsageError } from "../../support/usage-error.ts";
import { tooLong } from "./charset.ts";
import { createParam, type Param, ParamIssue, type ParamOptions } from "./param.ts";

export interface PatternOptions extends ParamOptions {
  /**
   * In UTF-16 code units; longer values are refused without being matched. Default: 1,024, for which a quadratic
   * pattern takes a moment.
   */
  readonly maxLength?: number;
}

const MAX_LENGTH = 1024;

/**
 * A text that matches a regular expression as a whole, whether or not it is anchored.
 * @throws {UsageError} for flags that change what the source means, and for a pattern that a hostile value could make slow.
 */
export function pattern(source: RegExp, options: PatternOptions = {}): Param<string, false> {
  const { maxLength = MAX_LENGTH } = options;
  const regex = toWhole(source);
  return createParam(options, (text) => {
    if (text.length > maxLength) return tooLong(text, maxLength);
    return regex.test(text) ? text : new ParamIssue("pattern", `does not match ${source.source}`);
  });
}

function toWhole(regex: RegExp): RegExp {
  const { source, flags } = regex;
  // The analysis below takes a source literally: "i" would join what it holds apart, "m" would move the anchors.
  if (!/^[du]*$/.test(flags)) {
    throw new UsageError(
      "bad_option",
      `A pattern of a parameter takes no flags but u, so ${regex} cannot be used; write [Aa] for a letter of either case.`,
    );
  }
  if (patternDegree(source) > 2) {
    throw new UsageError(
      "unsafe_pattern",
      `A hostile value can make ${regex} very slow; rewrite it so that a text can be matched in one way only, or use charset().`,
    );
  }
  try {
    return new RegExp(`^(?:${source})$`, "u");
  } catch (cause) {
    throw new UsageError("bad_option", `${regex} is not valid with the flag u; correct it.`, { cause });
  }
}
