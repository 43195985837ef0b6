import type { DocTag } from "./parse-comment.ts";

/** Sizes: the words of Joi, zod and class-validator mean three tags of Proffer, by the type of the value. */
const LEAST = "@minimum $ for a number, @minLength $ for a text or @minItems $ for a list";
const MOST = "@maximum $ for a number, @maxLength $ for a text or @maxItems $ for a list";

/** Words that a number follows. `$` is the number. */
const WITH_NUMBER: Readonly<Record<string, string>> = {
  ...{
    min: LEAST,
    max: MOST,
    gte: "@minimum $",
    lte: "@maximum $",
    gt: "@exclusiveMinimum $",
    lt: "@exclusiveMaximum $",
  },
  ...{ minlen: "@minLength $", maxlen: "@maxLength $", minsize: "@minItems $", maxsize: "@maxItems $" },
  ...{ arrayminsize: "@minItems $", arraymaxsize: "@maxItems $", step: "@multipleOf $", divisibleby: "@multipleOf $" },
  ...{ len: "@minLength $ @maxLength $", length: "@minLength $ @maxLength $" },
};

/** Words that stand alone. */
const ALONE: Readonly<Record<string, string>> = {
  ...{ int: "@integer", isint: "@integer", positive: "@exclusiveMinimum 0", negative: "@exclusiveMaximum 0" },
  ...{ nonnegative: "@minimum 0", nonpositive: "@maximum 0", unique: "@uniqueItems" },
  ...{ nonempty: "@minLength 1", notempty: "@minLength 1", isnotempty: "@minLength 1" },
  ...{ email: "@format email", isemail: "@format email", uuid: "@format uuid", guid: "@format uuid" },
  ...{ isuuid: "@format uuid", url: "@format uri", uri: "@format uri", isurl: "@format uri" },
  ...{ datetime: "@format date-time", ipv4: "@format ipv4", ipv6: "@format ipv6" },
};

/** Words that an expression follows. */
const WITH_TEXT = new Set(["regex", "regexp", "matches"]);

/**
 * Returns the tags of Proffer that a constraint in the words of another library means; undefined for any other word.
 * The text after it must fit, too: in a sentence, `@max` is somebody.
 */
export function borrowedTag(written: string, text: string): string | undefined {
  const word = written.toLowerCase();
  const [, number] = /^\s*\(?\s*(-?\d[\d_.]*?)\s*\)?[.,;]?\s*$/.exec(text) ?? [];
  if (Object.hasOwn(WITH_NUMBER, word)) return number && WITH_NUMBER[word]?.replaceAll("$", () => number);
  if (Object.hasOwn(ALONE, word)) return /^\s*(?:\(\s*\))?[.,;]?\s*$/.test(text) ? ALONE[word] : undefined;
  return WITH_TEXT.has(word) && /^\s*[/^`]/.test(text)
    ? `@pattern ${text.trim().replace(/^\/(.*)\/$/, "$1")}`
    : undefined;
}

/** Whether a tag is a constraint in the words of another library. */
export function isBorrowed({ written, text }: DocTag): boolean {
  return borrowedTag(written, text) !== undefined;
}
