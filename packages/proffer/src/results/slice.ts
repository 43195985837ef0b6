import { InvalidParams } from "../protocol/errors.ts";
import { UsageError } from "../support/usage-error.ts";

/** Which part of something long is wanted. */
export interface SliceOptions {
  /** How many items to skip. Default: 0. */
  readonly offset?: number | undefined;
  readonly limit: number;
}

/** Which lines of something long are wanted. */
export interface LinesOptions extends SliceOptions {
  /** How many characters a line may have: a longer one could fill the memory. Default: 16 Mi. */
  readonly maxLineLength?: number | undefined;
}

/** A part of something long. */
export interface Slice<Item> {
  readonly items: readonly Item[];
  readonly offset: number;
  /** Whether there is something behind it. */
  readonly more: boolean;
}

/** Takes some items of a list or a stream, and never more than one beyond the last that it returns. */
export async function sliceItems<Item>(
  source: Iterable<Item> | AsyncIterable<Item>,
  options: SliceOptions,
): Promise<Slice<Item>> {
  const { offset, limit } = checked(options);
  const items: Item[] = [];
  // An array need not be walked from its beginning.
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
 * Takes some lines of a text, or of a stream of text or bytes, without their ends. @throws {InvalidParams} for a line that
 * is too long.
 */
export function sliceLines(
  source: string | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  options: LinesOptions,
): Promise<Slice<string>> {
  return sliceItems(toLines(typeof source === "string" ? [source] : source, options.maxLineLength), options);
}

const MAX_LINE = 16 * 1024 * 1024;

/**
 * The lines of a stream, one at a time. A text that ends with a line end has no empty line behind it.
 * @throws {InvalidParams} for a line that is too long. Default: 16 Mi characters.
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
  throw new InvalidParams(`This has a line of more than ${maxLength} characters; it cannot be read by lines.`);
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function checked({ offset = 0, limit }: SliceOptions): { offset: number; limit: number } {
  for (const [name, value] of Object.entries({ offset, limit })) {
    if (Number.isSafeInteger(value) && value >= 0) continue;
    throw new UsageError(
      "bad_option",
      `${name} must be a whole number from 0, not ${value}; declare it with integer().`,
    );
  }
  return { offset, limit };
}
