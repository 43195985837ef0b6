/** `JSON.stringify` and other recursive functions handle this many levels. */
const MAX_DEPTH = 512;
/** A message within the limit in bytes could still create more objects than fit in memory. */
const MAX_ITEMS = 2_000_000;

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;

/** Returns the problem with the size of a JSON text, before it is parsed. */
export function findOversize(text: string): string | undefined {
  let depth = 0;
  let items = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === COMMA) {
      if (++items > MAX_ITEMS) return `has more than ${MAX_ITEMS} items`;
      // The brackets are 0x5b, 0x5d, 0x7b and 0x7d.
    } else if ((code | 0x20) === 0x7b) {
      items++;
      if (++depth > MAX_DEPTH) return `has more than ${MAX_DEPTH} levels`;
    } else if ((code | 0x20) === 0x7d) depth--;
  }
  return undefined;
}

/** Returns the index of the closing quote, or the length of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}
