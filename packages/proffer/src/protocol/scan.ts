import { type Scan, Structure } from "./structure.ts";

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Marks the bytes that are structural outside strings: one lookup skips all others. */
const IS_STRUCTURAL = /* @__PURE__ */ byteTable({ '"': 1, ":": 1, "[": 1, "]": 1, "{": 1, "}": 1 });
/** How each byte changes the depth outside strings. */
const DEPTH_CHANGE = /* @__PURE__ */ byteTable({ "[": 1, "]": -1, "{": 1, "}": -1 });
/** A mask with all bits set for the quote, which toggles between inside and outside of a string; 0 for other bytes. */
const STRING_TOGGLE = /* @__PURE__ */ byteTable({ '"': -1 });

/** Creates a table with these numbers at the given ASCII characters and 0 elsewhere. */
function byteTable(numbers: { readonly [char: string]: number }): Int8Array {
  const table = new Int8Array(128);
  for (const char in numbers) table[char.charCodeAt(0)] = numbers[char] as number;
  return table;
}

/** Strings longer than this are skipped with `indexOf`: calling it costs more than a short loop. */
const LONG_STRING = 48;

const structure = /* @__PURE__ */ new Structure();
const encoder = /* @__PURE__ */ new TextEncoder();
const bytes = /* @__PURE__ */ new Uint8Array(16 * 1024);

/**
 * Scans one message or a batch in one linear pass; the counts of a batch are the sums over its messages. The result is
 * correct for valid JSON, and invalid JSON does no harm. The next call reuses the returned object.
 */
export function scan(text: string, maxDepth: number, maxItems: number): Scan {
  structure.begin(text.charCodeAt(0) !== OPEN_BRACE && /^\s*\[/.test(text), maxDepth, maxItems);
  // A text with at most `maxItems` characters cannot hold more items, so they need not be counted.
  if (text.length <= maxItems && copyIfAscii(text)) scanBytes(text);
  else scanText(text);
  return structure.report();
}

/** The number of keys and elements in a whole text, and of its keys alone. */
export interface TextScan {
  readonly items: number;
  readonly keys: number;
}

/** Scans a text that is no message: counts the items and keys of all levels. Returns undefined if it exceeds a limit. */
export function scanWhole(text: string, maxDepth: number, maxItems: number): TextScan | undefined {
  structure.begin(false, maxDepth, maxItems);
  scanText(text);
  const { tooDeep, tooMany } = structure.report();
  return tooDeep || tooMany ? undefined : { items: structure.items, keys: structure.allKeys };
}

/** Copies a short ASCII text into `bytes`, which is cheaper to read than the string. Returns false for other texts. */
function copyIfAscii(text: string): boolean {
  return text.length <= bytes.length && encoder.encodeInto(text, bytes).written === text.length;
}

function scanBytes(text: string): void {
  const { length } = text;
  let keyStart = 0;
  let keyEnd = 0;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] as number;
    if (IS_STRUCTURAL[byte] === 0) continue;
    if (byte === QUOTE) {
      keyStart = ++at;
      while (at < length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
      keyEnd = at;
    } else if (byte === COLON) {
      structure.key(text, keyStart, keyEnd);
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      structure.close();
    } else {
      if (!structure.open(byte === OPEN_BRACE)) return;
      if (structure.isWatched) continue;
      const end = closingBracket(at + 1, length, structure.levelsLeft);
      if (end < 0) {
        structure.markTooDeep();
        return;
      }
      at = end - 1;
    }
  }
}

/**
 * Returns the position of the bracket that closes the one before `from`, or the length if there is none; -1 if more
 * than `levels` are nested inside. The loop does not branch on quotes, because a processor cannot predict where short
 * strings end.
 */
function closingBracket(from: number, length: number, levels: number): number {
  let depth = 0;
  let outside = -1;
  for (let at = from; at < length; at++) {
    const byte = bytes[at] as number;
    if (byte === BACKSLASH) at++;
    outside ^= STRING_TOGGLE[byte] as number;
    depth += (DEPTH_CHANGE[byte] as number) & outside;
    // One comparison for both limits: as an unsigned number, a negative depth is above every limit.
    if (depth >>> 0 > levels) return depth < 0 ? at : -1;
  }
  return length;
}

function scanText(text: string): void {
  let keyStart = 0;
  let keyEnd = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        keyStart = at + 1;
        keyEnd = closingQuote(text, keyStart);
        at = keyEnd;
        break;
      case COLON:
        structure.key(text, keyStart, keyEnd);
        break;
      case OPEN_BRACE:
        if (!structure.open(true)) return;
        break;
      case OPEN_BRACKET:
        if (!structure.open(false)) return;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        structure.close();
        break;
      case COMMA:
        if (!structure.item()) return;
        break;
    }
  }
}

/** Returns the position of the quote that ends the string starting at `from`, or the length of the text. */
function closingQuote(text: string, from: number): number {
  let at = from;
  const near = Math.min(text.length, from + LONG_STRING);
  for (; at < near; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let backslashes = quote;
    while (backslashes > at && text.charCodeAt(backslashes - 1) === BACKSLASH) backslashes--;
    if ((quote - backslashes) % 2 === 0) return quote;
    at = quote + 1;
  }
  return text.length;
}
