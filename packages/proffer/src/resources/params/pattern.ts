import { patternDegree } from "../../schema/json-schema/pattern-safety.ts";
import { UsageError } from "../../support/usage-error.ts";
import { tooLong } from "./charset.ts";
import { createParam, type Param, ParamIssue, type ParamOptions } from "./param.ts";

export interface PatternOptions extends ParamOptions {
  /**
   * Maximum length in UTF-16 code units; longer values are rejected without running the expression. Default: 1,024,
   * short enough for a pattern that takes quadratic time.
   */
  readonly maxLength?: number;
}

const MAX_LENGTH = 1024;

/**
 * Accepts a string that matches a regular expression as a whole, whether or not the expression is anchored.
 * @throws {UsageError} for flags other than `u`, and for a pattern that a hostile value could make slow (ReDoS).
 */
export function pattern(source: RegExp, options: PatternOptions = {}): Param<string, false> {
  const { maxLength = MAX_LENGTH } = options;
  const regex = toAnchored(source);
  return createParam(
    options,
    (text) => {
      if (text.length > maxLength) return tooLong(text, maxLength);
      return regex.test(text) ? text : new ParamIssue("pattern", `does not match ${source.source}`);
    },
    regex,
  );
}

function toAnchored(regex: RegExp): RegExp {
  const { source, flags } = regex;
  // The analysis below reads the source literally: "i" would merge letters that it keeps apart, "m" would move anchors.
  if (!/^[du]*$/.test(flags)) {
    throw new UsageError(
      "bad_option",
      `Unsupported flags in ${regex}: a parameter pattern may only have the flag u. To ignore case, write [Aa].`,
    );
  }
  if (patternDegree(source) > 2) {
    throw new UsageError(
      "unsafe_pattern",
      `A hostile value can make ${regex} very slow. Rewrite it so that a text matches in one way only, or use param.charset().`,
    );
  }
  try {
    return new RegExp(`^(?:${source})$`, "u");
  } catch (cause) {
    throw new UsageError("bad_option", `${regex} is not a valid regular expression with the flag u.`, { cause });
  }
}
