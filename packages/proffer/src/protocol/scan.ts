import { type Scan, Structure } from "./structure.ts";

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Which bytes mean something outside strings: a look-up is faster than comparisons for the many that do not. */
const MEANS = /* @__PURE__ */ byteTable({ '"': 1, ":": 1, "[": 1, "]": 1, "{": 1, "}": 1 });
/** What each byte does to the depth outside strings. */
const STEPS = /* @__PURE__ */ byteTable({ "[": 1, "]": -1, "{": 1, "}": -1 });
/** All bits for the byte that begins and ends strings, none for the others. */
const FLIPS = /* @__PURE__ */ byteTable({ '"': -1 });

/** The numbers of some bytes; all others have 0. */
function byteTable(numbers: { readonly [char: string]: number }): Int8Array {
  const table = new Int8Array(128);
  for (const char in numbers) table[char.charCodeAt(0)] = numbers[char] as number;
  return table;
}

/** Strings longer than this are skipped by `indexOf`, which is slower to start and faster to run than a loop. */
const LONG_STRING = 48;

const structure = /* @__PURE__ */ new Structure();
const encoder = /* @__PURE__ */ new TextEncoder();
const bytes = /* @__PURE__ */ new Uint8Array(16 * 1024);

/**
 * Scans one message, or a batch, whose counts are the sums over its messages: one linear pass that is right for valid
 * JSON and harmless on anything else. The object returned is reused by the next call: read it at once.
 */
export function scan(text: string, maxDepth: number, maxItems: number): Scan {
  structure.begin(text.charCodeAt(0) !== OPEN_BRACE && /^\s*\[/.test(text), maxDepth, maxItems);
  // A text that is too short to hold too many items need not have them counted.
  if (text.length <= maxItems && isCopied(text)) scanBytes(text);
  else scanText(text);
  return structure.report();
}

/** Bytes are read much faster than the characters of a string, so a short text is copied if each character is one. */
function isCopied(text: string): boolean {
  return text.length <= bytes.length && encoder.encodeInto(text, bytes).written === text.length;
}

function scanBytes(text: string): void {
  const { length } = text;
  let keyStart = 0;
  let keyEnd = 0;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] as number;
    if (MEANS[byte] === 0) continue;
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
        structure.sink();
        return;
      }
      at = end - 1;
    }
  }
}

/**
 * The position of the bracket that closes what opened before `from`, or the length; -1 if there are more than `levels`
 * inside. Nearly every byte takes the same way through the loop: where short strings end, no processor guesses right.
 */
function closingBracket(from: number, length: number, levels: number): number {
  let depth = 0;
  let outside = -1;
  for (let at = from; at < length; at++) {
    const byte = bytes[at] as number;
    if (byte === BACKSLASH) at++;
    outside ^= FLIPS[byte] as number;
    depth += (STEPS[byte] as number) & outside;
    // One comparison for both: below zero is above every number here.
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

/** The position of the quote that ends the string whose first character is at `from`, or the length of the text. */
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
