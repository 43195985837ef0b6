import type { CallResult, ContentBlock } from "../../protocol/model.ts";
import { BYTES_PER_TOKEN, utf8Length } from "../../support/bytes.ts";
import type { MaxResult } from "../../tools/max-result.ts";

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

/** What is left of the limit after a value, at least; negative if that is not known. */
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
