/**
 * What JSON.parse does not tell in time: how deep a text nests and how much there is in it; nor at all: how many keys it
 * wrote into the envelope, `params` and `params._meta`. Two equal keys would silently become one; whoever checks the
 * first and acts on the last is fooled.
 */
export interface Scan {
  /** The text nests deeper than allowed. The counts are then meaningless. */
  tooDeep: boolean;
  /** It has more keys and elements than allowed; an empty object or list counts as one. The same holds then. */
  tooMany: boolean;
  envelopeKeys: number;
  paramsKeys: number;
  metaKeys: number;
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

const STRUCTURAL = [QUOTE, COLON, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE];
/** Which bytes mean something outside strings: a look-up is faster than comparisons for the many that do not. */
const MEANS = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, byte) => Number(STRUCTURAL.includes(byte)));

/** What each byte outside strings does to the depth. */
const STEPS = /* @__PURE__ */ new Int8Array(128);
STEPS[OPEN_BRACE] = STEPS[OPEN_BRACKET] = 1;
STEPS[CLOSE_BRACE] = STEPS[CLOSE_BRACKET] = -1;
/** All bits for the byte that begins and ends strings, none for the others. */
const FLIPS = /* @__PURE__ */ new Int8Array(128);
FLIPS[QUOTE] = -1;

/** Strings longer than this are skipped by `indexOf`, which is slower to start and faster to run than a loop. */
const LONG_STRING = 48;

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

const WATCHED = ["", "params", "_meta"] as const;

/** What is known of the text up to where the scan is. */
class Structure {
  readonly #scan: Scan = { tooDeep: false, tooMany: false, envelopeKeys: 0, paramsKeys: 0, metaKeys: 0 };
  readonly #keys = [0, 0, 0];
  #maxDepth = 0;
  #maxItems = 0;
  #items = 0;
  /** Depth below the message, so that the messages of a batch count like single ones. */
  #depth = 0;
  /** How many levels from the root are objects on the way envelope → params → _meta. */
  #watched = 0;
  /** The level that becomes a watched one if an object opens next. */
  #entering = 0;

  begin(isBatch: boolean, maxDepth: number, maxItems: number): void {
    this.#keys[0] = this.#keys[1] = this.#keys[2] = 0;
    this.#maxDepth = maxDepth;
    this.#maxItems = maxItems;
    this.#items = 0;
    this.#depth = isBatch ? -1 : 0;
    this.#watched = 0;
    this.#entering = 0;
  }

  /** An object or a list begins; false if it is nested too deep, or one item too many. */
  open(isObject: boolean): boolean {
    const depth = ++this.#depth;
    if (isObject && (depth === 1 || this.#entering === depth)) this.#watched = depth;
    this.#entering = 0;
    return this.item() && depth <= this.#maxDepth;
  }

  /** Whether the keys of what opened last are counted. */
  get isWatched(): boolean {
    return this.#depth === this.#watched;
  }

  /** How much deeper the text may nest. */
  get levelsLeft(): number {
    return this.#maxDepth - this.#depth;
  }

  /** It nests deeper. */
  sink(): void {
    this.#depth = this.#maxDepth + 1;
  }

  /** Another item begins; false if it is one too many. */
  item(): boolean {
    return ++this.#items <= this.#maxItems;
  }

  close(): void {
    const depth = --this.#depth;
    if (this.#watched > depth) this.#watched = depth;
  }

  /** A key ends; it stands between the two positions. */
  key(text: string, start: number, end: number): void {
    const depth = this.#depth;
    if (depth !== this.#watched || depth <= 0) return;
    this.#keys[depth - 1] = (this.#keys[depth - 1] ?? 0) + 1;
    const next = WATCHED[depth];
    this.#entering = next !== undefined && isKey(text, start, end, next) ? depth + 1 : 0;
  }

  report(): Scan {
    const scan = this.#scan;
    scan.tooDeep = this.#depth > this.#maxDepth;
    scan.tooMany = this.#items > this.#maxItems;
    scan.envelopeKeys = this.#keys[0] ?? 0;
    scan.paramsKeys = this.#keys[1] ?? 0;
    scan.metaKeys = this.#keys[2] ?? 0;
    return scan;
  }
}

const structure = /* @__PURE__ */ new Structure();

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

/** An escaped character, `\u006d`, is so many times as long as the character. */
const ESCAPE_LENGTH = 6;

/** Whether the key written at `start` is `name`; a key may be written with escapes (`"\u006dethod"`). */
function isKey(text: string, start: number, end: number, name: string): boolean {
  const length = end - start;
  if (length <= name.length) return length === name.length && text.startsWith(name, start);
  if (length > ESCAPE_LENGTH * name.length) return false;
  const raw = text.slice(start, end);
  if (!raw.includes("\\")) return false;
  try {
    return JSON.parse(`"${raw}"`) === name;
  } catch {
    return false;
  }
}
