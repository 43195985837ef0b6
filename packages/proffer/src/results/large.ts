import type { Wire } from "../protocol/messages.ts";
import type { CallResult, ReadResult, ResourceContents, TextBlock } from "../protocol/model.ts";
import { asciiBytes } from "../support/bytes.ts";
import { isEncoded } from "./content.ts";
import { isHighSurrogate } from "./truncate.ts";

/** JSON of this length or more is sent as a separate part, because joining it with other text would copy it again. */
export const LARGE = 16 * 1024;

/**
 * A text is escaped in pieces of this size. JSON.stringify of the whole text would assemble it from fragments, flatten
 * it into one string and copy that into bytes, each time into newly allocated memory.
 */
const PIECE = 64 * 1024;

/** The only item of a result: the contents of a resource, or a block of a tool. */
export type SingleContent = Partial<ResourceContents & TextBlock>;

/** A result that is one large text or blob, split so that the large string is never copied into a larger one. */
interface LargeResult {
  /** The result with an empty string in place of the large one, as its last property. */
  readonly shell: object;
  /** The JSON of the large string without its quotes. */
  readonly body: Exclude<Wire, string>;
}

/** The end of a shell's JSON, from the closing quote of its empty string. `joinLarge` inserts the body before it. */
const SHELL_END = '"}]}';

/** Splits a result that is one large text or blob and nothing else; returns undefined for any other result. */
export function splitLarge(result: Partial<ReadResult & CallResult>): LargeResult | undefined {
  const key = result.contents === undefined ? "content" : "contents";
  const single = result[key]?.length === 1 ? (result[key][0] as SingleContent) : undefined;
  if (single === undefined || !isLarge(single) || Object.keys(result).length !== 1) return undefined;
  const { text = "", blob, ...rest } = single;
  if (blob === undefined) return { shell: { [key]: [{ ...rest, text: "" }] }, body: escapePieces(text) };
  // Base64 needs no escaping, and JSON.stringify would scan all of it to find that out.
  return { shell: { [key]: [{ ...rest, blob: "" }] }, body: [asciiBytes(blob)] };
}

/** Inserts the large string into the JSON of its shell. The shell's members must be the last ones of that JSON. */
export function joinLarge(shellJson: string, { body }: LargeResult): Wire {
  return [shellJson.slice(0, -SHELL_END.length), ...body, SHELL_END];
}

/** Whether it is a large text, or a large blob that was encoded here. */
function isLarge(single: SingleContent): boolean {
  const { text, blob } = single;
  if (blob === undefined) return typeof text === "string" && text.length >= LARGE;
  return text === undefined && blob.length >= LARGE && isEncoded(single);
}

function escapePieces(text: string): string[] {
  const pieces = [];
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + PIECE;
    // Keep a surrogate pair in one piece: JSON.stringify would escape each half as a lone surrogate.
    if (isHighSurrogate(text.charCodeAt(end - 1))) end++;
    pieces.push(JSON.stringify(text.slice(start, end)).slice(1, -1));
  }
  return pieces;
}
