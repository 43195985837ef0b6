import { InvalidParams } from "../protocol/errors.ts";

export interface TruncateTextOptions {
  /** What stands where the text was cut; it counts too. Default: says how many characters there were. */
  readonly mark?: string;
}

/**
 * A text of at most `maxChars` characters (UTF-16 code units, so no more code points either): itself if it fits,
 * otherwise its beginning with a mark that says so. @throws {InvalidParams} if not even the mark fits.
 */
export function truncateText(text: string, maxChars: number, options: TruncateTextOptions = {}): string {
  if (text.length <= maxChars) return text;
  const mark = options.mark ?? `\n[truncated: ${text.length} characters in all]`;
  const room = maxChars - mark.length;
  if (room < 0) throw tooSmall(maxChars, mark.length);
  return text.slice(0, isHighSurrogate(text.charCodeAt(room - 1)) ? room - 1 : room) + mark;
}

export interface TruncateJsonOptions {
  readonly maxChars: number;
  /** The property whose items are left out first. */
  readonly list?: string;
  /** How many of them stay at most, however few characters they have. Default: all. */
  readonly maxItems?: number;
  /** Which of them stay. Default: "newest", the last ones. */
  readonly keep?: "newest" | "oldest";
  /** How the numbers of items are called: "rounds" gives original_rounds and returned_rounds. Default: "items". */
  readonly unit?: string;
  /** Spaces of indentation. Default: none. */
  readonly indent?: number;
}

/**
 * The JSON of a document in at most `maxChars` characters, with at most `maxItems` items of `list`. If it does not fit,
 * as few items as possible are left out, then the largest other properties, and `truncated: true` says so.
 * @throws {InvalidParams} if there is no room to say even that.
 */
export function truncateJson(document: Readonly<Record<string, unknown>>, options: TruncateJsonOptions): string {
  const { maxChars, list, maxItems = Number.POSITIVE_INFINITY, keep = "newest", unit = "items", indent } = options;
  const write = (value: unknown): string => JSON.stringify(value, undefined, indent);
  const items = list === undefined ? undefined : document[list];
  const whole = write(document);
  const isShort = !Array.isArray(items) || items.length <= maxItems;
  if (isShort && whole.length <= maxChars) return whole;
  if (list === undefined || !Array.isArray(items))
    return boundProperties({ ...document, truncated: true }, maxChars, write);
  const withItems = (count: number): Record<string, unknown> => ({
    ...document,
    [list]: keep === "newest" ? items.slice(items.length - count) : items.slice(0, count),
    truncated: true,
    [`original_${unit}`]: items.length,
    [`returned_${unit}`]: count,
  });
  let fits = -1;
  // The most items that fit lie between the last count that did and the first that did not.
  for (let low = 0, high = Math.min(items.length, maxItems); low <= high; ) {
    const middle = (low + high) >> 1;
    if (write(withItems(middle)).length <= maxChars) {
      fits = middle;
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  if (fits >= 0) return write(withItems(fits));
  return boundProperties(withItems(0), maxChars, write);
}

/** Leaves out the largest property, again and again, until the rest fits. */
function boundProperties(
  document: Record<string, unknown>,
  maxChars: number,
  write: (value: unknown) => string,
): string {
  const sizes = Object.entries(document)
    .filter(([name]) => name !== "truncated")
    .map(([name, value]) => ({ name, size: (write(value) ?? "").length }))
    .sort((a, b) => b.size - a.size);
  const rest = { ...document };
  for (const { name } of sizes) {
    delete rest[name];
    const text = write(rest);
    if (text.length <= maxChars) return text;
  }
  throw tooSmall(maxChars, write(rest).length);
}

/** Whether it is the first half of a character that takes two. */
export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function tooSmall(maxChars: number, needed: number): InvalidParams {
  return new InvalidParams(`${maxChars} characters are too few for the resource; the least is ${needed}.`);
}
