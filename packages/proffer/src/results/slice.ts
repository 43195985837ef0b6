import { InvalidParams } from "../protocol/errors.ts";
import { UsageError } from "../support/usage-error.ts";

/** Options for `sliceItems`. */
export interface SliceOptions {
  /** The number of items to skip. Default: 0. */
  readonly offset?: number | undefined;
  /** The maximum number of items to return. */
  readonly limit: number;
}

/** Options for `sliceLines`. */
export interface LinesOptions extends SliceOptions {
  /** The maximum length of a line in characters; a longer one could exhaust memory. Default: 16 Mi. */
  readonly maxLineLength?: number | undefined;
}

/** Consecutive items of a longer list or stream. */
export interface Slice<Item> {
  readonly items: readonly Item[];
  readonly offset: number;
  /** Whether more items follow. */
  readonly more: boolean;
}

/**
 * Returns `limit` items from `offset` of a list or stream. Reads at most one item beyond the last one returned.
 *
 * @example
 * const { items, more } = await sliceItems(database.rows(), { offset: 20, limit: 10 });
 */
export async function sliceItems<Item>(
  source: Iterable<Item> | AsyncIterable<Item>,
  options: SliceOptions,
): Promise<Slice<Item>> {
  const { offset, limit } = checked(options);
  const items: Item[] = [];
  // An array need not be iterated from its start.
  if (Array.isArray(source)) {
    return { items: source.slice(offset, offset + limit), offset, more: source.length > offset + limit };
  }
  let at = 0;
  for await (const item of source) {
    if (at++ < offset) continue;
    if (items.length === limit) return { items, offset, more: true };
    items.push(item);
  }
  return { items, offset, more: false };
}

/**
 * Returns `limit` lines from `offset` of a text or of a stream of texts or bytes, without line ends.
 * @throws {InvalidParams} if a line is too long.
 *
 * @example
 * const { items, more } = await sliceLines(createReadStream("app.log"), { offset: 0, limit: 100 });
 */
export function sliceLines(
  source: string | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  options: LinesOptions,
): Promise<Slice<string>> {
  return sliceItems(toLines(typeof source === "string" ? [source] : source, options.maxLineLength), options);
}

const MAX_LINE = 16 * 1024 * 1024;

/**
 * Yields the lines of a stream. A line end at the end of the text does not start another line.
 * @throws {InvalidParams} if a line is longer than `maxLength`.
 */
export async function* toLines(
  source: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  maxLength = MAX_LINE,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let open = "";
  for await (const chunk of source) {
    const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      checkLine(open.length + end - start, maxLength);
      yield withoutReturn(open + text.slice(start, end));
      open = "";
      start = end + 1;
    }
    open += text.slice(start);
    checkLine(open.length, maxLength);
  }
  open += decoder.decode();
  if (open !== "") yield withoutReturn(open);
}

function checkLine(length: number, maxLength: number): void {
  if (length <= maxLength) return;
  throw new InvalidParams(`A line has more than ${maxLength} characters, so the content cannot be read line by line.`);
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function checked({ offset = 0, limit }: SliceOptions): { offset: number; limit: number } {
  for (const [name, value] of Object.entries({ offset, limit })) {
    if (Number.isSafeInteger(value) && value >= 0) continue;
    throw new UsageError(`${name} must be a non-negative integer, not ${value}. Declare it with param.integer().`);
  }
  return { offset, limit };
}
