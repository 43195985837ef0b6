import type { Wire } from "../protocol/messages.ts";
import type { CallResult, ReadResult, ResourceContents, TextBlock } from "../protocol/model.ts";
import { asciiBytes } from "./bytes.ts";
import { isEncoded } from "./content.ts";

/** From this size on, JSON is not joined with what stands around it, which would copy it once more. */
export const LARGE = 16 * 1024;

/**
 * A text is escaped in pieces of this size. Escaped as a whole, it would be put together from pieces, copied to be one
 * text, and copied to become bytes, each time into memory that the process has to ask for.
 */
const PIECE = 64 * 1024;

/** What may be alone in a result: contents that were read, or a text that a tool gave. */
type Sole = Partial<ResourceContents & TextBlock>;

/** The JSON of a result that is one large text or blob and nothing else, after what opens each result. */
export function encodeLarge(open: string | undefined, result: Partial<ReadResult & CallResult>): Wire | undefined {
  const key = result.contents === undefined ? "content" : "contents";
  const list = result[key] as readonly Sole[] | undefined;
  if (list?.length !== 1) return undefined;
  const sole = list[0] as Sole;
  const body = bodyOf(sole);
  if (body === undefined || Object.keys(result).length !== 1) return undefined;
  const head = JSON.stringify({ ...sole, text: undefined, blob: undefined }).slice(0, -1);
  const name = sole.blob === undefined ? "text" : "blob";
  const start = `${open === undefined ? "{" : `${open},`}"${key}":[${head}${head === "{" ? "" : ","}"${name}":"`;
  return [start, ...(typeof body === "string" ? escaped(body) : [body]), '"}]}'];
}

/** The large text, or the bytes of the large blob. */
function bodyOf(sole: Sole): string | Uint8Array | undefined {
  const { text, blob } = sole;
  if (blob === undefined) return typeof text === "string" && text.length >= LARGE ? text : undefined;
  // Base64 has nothing to escape, and JSON.stringify takes more time to find that out than encoding it took.
  return text === undefined && blob.length >= LARGE && isEncoded(sole) ? asciiBytes(blob) : undefined;
}

function escaped(text: string): string[] {
  const pieces = [];
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + PIECE;
    // The halves of a pair stay together: each alone would be escaped as what no text should have.
    if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++;
    pieces.push(JSON.stringify(text.slice(start, end)).slice(1, -1));
  }
  return pieces;
}
