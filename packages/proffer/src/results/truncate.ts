import { InvalidParams } from "../protocol/errors.ts";

/** Options for `truncateText`. */
export interface TruncateTextOptions {
  /** The end of a truncated text; its length counts too. Default: a note with the original length. */
  readonly mark?: string;
}

/**
 * Truncates a text to `maxChars` characters (UTF-16 code units), including a mark at its end. Never splits a surrogate
 * pair. @throws {InvalidParams} if `maxChars` is too small for the mark.
 *
 * @example
 * truncateText("abcdefgh", 5, { mark: "…" }); // "abcd…"
 */
export function truncateText(text: string, maxChars: number, options: TruncateTextOptions = {}): string {
  if (text.length <= maxChars) return text;
  const mark = options.mark ?? `\n[truncated: ${text.length} characters in all]`;
  const room = maxChars - mark.length;
  if (room < 0) throw tooSmall(maxChars, mark.length);
  return text.slice(0, isHighSurrogate(text.charCodeAt(room - 1)) ? room - 1 : room) + mark;
}

/** Options for `truncateJson`. */
export interface TruncateJsonOptions {
  readonly maxChars: number;
  /** The array property whose items are omitted first. */
  readonly list?: string;
  /** The maximum number of items to keep, even if more would fit. Default: all. */
  readonly maxItems?: number;
  /** Which items to keep. Default: "newest", the last ones. */
  readonly keep?: "newest" | "oldest";
  /** Names the counters: "rounds" adds original_rounds and returned_rounds. Default: "items". */
  readonly unit?: string;
  /** Spaces of indentation. Default: none. */
  readonly indent?: number;
}

/**
 * Serializes a document as JSON of at most `maxChars` characters, with at most `maxItems` items of `list`. If it does
 * not fit, it omits as few items as possible, then the largest other properties, and adds `truncated: true`.
 * @throws {InvalidParams} if `maxChars` is too small even for that.
 *
 * @example
 * truncateJson({ id: 7, entries }, { maxChars: 20_000, list: "entries", unit: "entries" });
 * // {"id":7,"entries":[…],"truncated":true,"original_entries":900,"returned_entries":212}
 */
export function truncateJson(document: Readonly<Record<string, unknown>>, options: TruncateJsonOptions): string {
  const { maxChars, list, maxItems = Number.POSITIVE_INFINITY, keep = "newest", unit = "items", indent } = options;
  const write = (value: unknown): string => JSON.stringify(value, undefined, indent);
  const items = list === undefined ? undefined : document[list];
  const whole = write(document);
  const isShort = !Array.isArray(items) || items.length <= maxItems;
  if (isShort && whole.length <= maxChars) return whole;
  if (list === undefined || !Array.isArray(items))
    return dropProperties({ ...document, truncated: true }, maxChars, write);
  const withItems = (count: number): Record<string, unknown> => ({
    ...document,
    [list]: keep === "newest" ? items.slice(items.length - count) : items.slice(0, count),
    truncated: true,
    [`original_${unit}`]: items.length,
    [`returned_${unit}`]: count,
  });
  let fits = -1;
  // Binary search for the largest number of items that fits.
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
  return dropProperties(withItems(0), maxChars, write);
}

/** Removes the largest property repeatedly until the rest fits. */
function dropProperties(
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

/** Whether a UTF-16 code unit is the first half of a surrogate pair. */
export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function tooSmall(maxChars: number, needed: number): InvalidParams {
  return new InvalidParams(`${maxChars} characters are too few for the resource. The minimum is ${needed}.`);
}
