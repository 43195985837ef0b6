import type { CallResult, ContentBlock } from "../../protocol/model.ts";
import { isHighSurrogate } from "../../results/truncate.ts";
import { BYTES_PER_TOKEN, utf8Length } from "../../support/bytes.ts";
import type { MaxResult } from "../../tools/define.ts";

/** The option in bytes. */
export function limitBytes({ tokens, bytes }: MaxResult): number {
  return bytes ?? Math.floor(tokens * BYTES_PER_TOKEN);
}

/** The text of a block that can be cut; undefined for a block that cannot. */
export function textOf(block: ContentBlock): string | undefined {
  if (block.type === "text") return block.text;
  return block.type === "resource" ? block.resource.text : undefined;
}

/** The bytes of a block that count. Images, sounds and other bytes do not: they cannot be cut, and are no text. */
export function blockBytes(block: ContentBlock): number | undefined {
  const text = textOf(block);
  if (text !== undefined) return utf8Length(text);
  return block.type === "resource_link" ? jsonBytes(block) : undefined;
}

export function jsonBytes(value: unknown): number {
  return utf8Length(JSON.stringify(value) ?? "");
}

/**
 * Whether a result is within the limit. A client shows its model the texts or the structured content, so each of them is
 * compared with the limit.
 */
export function fits({ content, structuredContent }: CallResult, max: number): boolean {
  return textsFit(content, max) && (isSmall(structuredContent, max) || jsonBytes(structuredContent) <= max);
}

/** Whether the blocks that count are within the limit. A character has at most three bytes. */
export function textsFit(content: readonly ContentBlock[], max: number): boolean {
  let most = 0;
  for (const block of content) most += (textOf(block)?.length ?? blockBytes(block) ?? 0) * 3;
  if (most <= max) return true;
  let size = 0;
  for (const block of content) size += blockBytes(block) ?? 0;
  return size <= max;
}

/** The most bytes of a character in JSON: `\u0000`. */
const MAX_ESCAPE = 6;
/** More than a number, `null`, or quotes and commas have. */
const MAX_SCALAR = 32;
/** A value that an author wrote by hand may contain itself. */
const MAX_DEPTH = 32;

/** Whether the JSON of a value is surely within the limit: a small result must not be serialized twice. */
function isSmall(value: unknown, max: number): boolean {
  return value === undefined || spare(value, max, MAX_DEPTH) >= 0;
}

/** The least that is left of the limit after a value; negative if that is not known. */
function spare(value: unknown, max: number, depth: number): number {
  let left = max - MAX_SCALAR;
  if (typeof value === "string") return left - value.length * MAX_ESCAPE;
  if (typeof value !== "object" || value === null) return left;
  if (depth === 0 || "toJSON" in value) return -1;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at++) left = spare(value[at], left, depth - 1);
    return left;
  }
  for (const key of Object.keys(value)) {
    if (left < 0) break;
    left = spare(value[key as keyof typeof value], left - key.length * MAX_ESCAPE, depth - 1);
  }
  return left;
}

/** The things that a sentence counts. */
export type Noun = "lines" | "characters" | "items" | "content blocks";

/** The things of a result that a part has, counted from 1. */
export interface Count {
  readonly noun: Noun;
  readonly from: number;
  readonly to: number;
  readonly total: number;
}

/** A part of a result that is within the limit. */
export interface Part {
  readonly content: readonly ContentBlock[];
  /** The first block continues the last one of the part before, which is kept, too. */
  readonly continues: boolean;
  readonly count: Count;
}

/**
 * Splits blocks of text and links into parts of at most `room` bytes: at a line, or else at a character. The first `done`
 * characters of the first block were shown before.
 */
export function* splitBlocks(blocks: readonly ContentBlock[], room: number, done = 0): Generator<Part> {
  const noun = nounFor(blocks, room);
  const total = blocks.reduce((sum, block) => sum + amountOf(noun, textOf(block) ?? "", true), 0);
  let content: ContentBlock[] = [];
  let used = 0;
  let to = done === 0 ? 0 : amountOf(noun, textOf(blocks[0] as ContentBlock)?.slice(0, done) ?? "", false);
  let from = to + 1;
  let continues = false;
  const finish = (isInside: boolean): Part => {
    // A block whose end comes later counts for this part, too.
    const last = isInside && noun === "content blocks" ? to + 1 : to;
    const part = { content, continues, count: { noun, from, to: last, total } };
    [content, used, from, continues] = [[], 0, to + 1, isInside];
    return part;
  };
  for (const [at, block] of blocks.entries()) {
    const text = textOf(block);
    const skipped = at === 0 ? done : 0;
    const size = blockBytes(block) ?? 0;
    if (used > 0 && text === undefined && used + size > room) yield finish(false);
    if (text === undefined || (skipped === 0 && used + size <= room)) {
      content.push(block);
      used += size;
      to += amountOf(noun, text ?? "", true);
      continue;
    }
    for (let start = skipped; start < text.length; ) {
      let end = lineEnd(text, start, room - used);
      if (end === start) {
        // A line that fits into a part alone is never cut.
        if (used > 0) {
          yield finish(start > 0);
          continue;
        }
        end = fittingEnd(text, start, room);
      }
      const piece = text.slice(start, end);
      content.push(withText(block, piece));
      used += utf8Length(piece);
      to += amountOf(noun, piece, end === text.length);
      start = end;
      if (start < text.length) yield finish(true);
    }
  }
  if (content.length > 0) yield finish(false);
}

/** Splits the elements of an array, as JSON, into parts that are arrays. */
export function* splitItems(items: readonly string[], room: number, done: number, total: number): Generator<Part> {
  let taken: string[] = [];
  let used = 0;
  let from = done + 1;
  const finish = (): Part => {
    const count = { noun: "items", from, to: from + taken.length - 1, total } as const;
    const part = { content: [{ type: "text" as const, text: `[${taken.join(",")}]` }], continues: false, count };
    [taken, used, from] = [[], 0, from + taken.length];
    return part;
  };
  for (const item of items) {
    const size = utf8Length(item) + 1;
    if (taken.length > 0 && used + size >= room) yield finish();
    taken.push(item);
    used += size;
  }
  if (taken.length > 0) yield finish();
}

/** Lines, if none of them has to be cut. */
export function nounFor(blocks: readonly ContentBlock[], room: number): Noun {
  if (blocks.some((block) => textOf(block) === undefined)) return "content blocks";
  const isLong = blocks.some((block) => hasLongLine(textOf(block) ?? "", room));
  return isLong ? "characters" : "lines";
}

function hasLongLine(text: string, room: number): boolean {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start) + 1 || text.length;
    const length = end - start;
    if (length > room || (length * 3 > room && utf8Length(text.slice(start, end)) > room)) return true;
    start = end;
  }
  return false;
}

/** How much a piece adds to the count; `isLast`: its block ends with it. */
export function amountOf(noun: Noun, piece: string, isLast: boolean): number {
  if (noun === "characters") return piece.length;
  if (noun !== "lines") return isLast ? 1 : 0;
  let lines = isLast && piece !== "" && !piece.endsWith("\n") ? 1 : 0;
  for (let at = piece.indexOf("\n"); at !== -1; at = piece.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** The end of the text or of the last line that fits into `room` bytes; `start` if no line does. */
export function lineEnd(text: string, start: number, room: number): number {
  const end = fittingEnd(text, start, room);
  // In the piece: in the whole text, a search would go back to its beginning for each part of a long line.
  return end === text.length ? end : start + text.slice(start, end).lastIndexOf("\n") + 1;
}

/** The end of the longest piece that fits, never inside a surrogate pair. At least one character, so that it ends. */
export function fittingEnd(text: string, start: number, room: number): number {
  let [least, most] = [start, Math.min(text.length, start + Math.max(0, room))];
  // Most texts are ASCII: the first attempt is the last one.
  for (let end = most; least < most; end = (least + most + 1) >> 1) {
    if (utf8Length(text.slice(start, end)) <= room) least = end;
    else most = end - 1;
  }
  const splits = least < text.length && isHighSurrogate(text.charCodeAt(least - 1));
  return splits ? least - 1 : least;
}

function withText(block: ContentBlock, text: string): ContentBlock {
  if (block.type === "resource") return { ...block, resource: { ...block.resource, text } };
  return { ...block, text } as ContentBlock;
}
