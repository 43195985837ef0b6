import type { CallResult, ContentBlock } from "../protocol/model.ts";
import { utf8Length } from "../support/bytes.ts";
import { BYTES_PER_TOKEN } from "../support/tokens.ts";
import type { MaxResult } from "../tools/max-result.ts";

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
  for (const block of content) most += (textOf(block)?.length ?? (blockBytes(block) as number) ?? 0) * 3;
  if (most <= max) return true;
  let size = 0;
  for (const block of content) size += blockBytes(block) ?? 0;
  return size <= max;
}

/** The most bytes of a character in JSON: `\u0000`. */
const MAX_ESCAPE = 6;
/** More than a number, `null` or a comma has. */
const MAX_SCALAR = 32;

/** Whether the JSON of a value is surely within the limit: a small result must not be serialized twice. */
function isSmall(value: unknown, max: number): boolean {
  const open = [value];
  let most = 0;
  // No recursion: a value that an author wrote by hand may contain itself.
  for (let next = open.pop(); most <= max; next = open.pop()) {
    if (typeof next === "string") most += next.length * MAX_ESCAPE;
    most += MAX_SCALAR;
    if (typeof next === "object" && next !== null) {
      if ("toJSON" in next) return false;
      for (const key in next) {
        most += key.length * MAX_ESCAPE + MAX_SCALAR;
        if (most > max) return false;
        open.push(next[key as keyof typeof next]);
      }
    }
    if (open.length === 0) return most <= max;
  }
  return false;
}
