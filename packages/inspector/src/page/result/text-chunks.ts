/** A text is cut at this length, where possible at a line end. */
const MAX_START = 10_000;
const CHUNK = 50_000;

/** The start of a text. */
export function cutText(text: string): string {
  return text.slice(0, endOfChunk(text, 0, MAX_START));
}

/** Divides a text, where possible at line ends: each chunk is drawn as a block. */
export function textChunks(text: string): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = endOfChunk(text, at, CHUNK);
    chunks.push(text.slice(at, end).replace(/\n$/, ""));
    at = end;
  }
  return chunks;
}

function endOfChunk(text: string, from: number, length: number): number {
  if (text.length - from <= length) return text.length;
  const lineEnd = text.lastIndexOf("\n", from + length);
  const end = lineEnd > from ? lineEnd + 1 : from + length;
  // Not within a character of two units.
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 || end : end;
}
