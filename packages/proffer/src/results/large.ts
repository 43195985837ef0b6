import type { Wire } from "../protocol/messages.ts";
import type { CallResult, ReadResult, ResourceContents, TextBlock } from "../protocol/model.ts";
import { asciiBytes } from "../support/bytes.ts";
import { isEncoded } from "./content.ts";
import { isHighSurrogate } from "./truncate.ts";

/** From this size on, JSON is not joined with what stands around it, which would copy it once more. */
export const LARGE = 16 * 1024;

/**
 * A text is escaped in pieces of this size. Escaped as a whole, it would be put together from pieces, copied to be one
 * text, and copied to become bytes, each time into memory that the process has to ask for.
 */
const PIECE = 64 * 1024;

/** What may be alone in a result: contents that were read, or a text that a tool gave. */
export type SingleContent = Partial<ResourceContents & TextBlock>;

type Parts = Exclude<Wire, string>;

/** What the JSON of a result ends with whose last thing is a text. */
export const TEXT_END = '"}]}';

/**
 * Splits a result that is one large text or blob and nothing else: the result with an empty one in its place, which is
 * then the last thing in it, and what the JSON of the large one has between its quotes.
 */
export function splitLarge(result: Partial<ReadResult & CallResult>): [shell: object, body: Parts] | undefined {
  const key = result.contents === undefined ? "content" : "contents";
  const sole = result[key]?.length === 1 ? (result[key][0] as SingleContent) : undefined;
  if (sole === undefined || !isLarge(sole) || Object.keys(result).length !== 1) return undefined;
  const { text = "", blob, ...rest } = sole;
  if (blob === undefined) return [{ [key]: [{ ...rest, text: "" }] }, escaped(text)];
  // Base64 has nothing to escape, and JSON.stringify takes more time to find that out than encoding it took.
  return [{ [key]: [{ ...rest, blob: "" }] }, [asciiBytes(blob)]];
}

/** Whether it is a large text, or a large blob that was encoded here. */
function isLarge(sole: SingleContent): boolean {
  const { text, blob } = sole;
  if (blob === undefined) return typeof text === "string" && text.length >= LARGE;
  return text === undefined && blob.length >= LARGE && isEncoded(sole);
}

function escaped(text: string): string[] {
  const pieces = [];
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + PIECE;
    // The halves of a pair stay together: each alone would be escaped as what no text should have.
    if (isHighSurrogate(text.charCodeAt(end - 1))) end++;
    pieces.push(JSON.stringify(text.slice(start, end)).slice(1, -1));
  }
  return pieces;
}
