/**
 * Facts about a text that must be known before `JSON.parse` runs (its depth and size), or that `JSON.parse` hides: how
 * many keys are written in the envelope, in `params`, in `params._meta` and in `params.arguments`. `JSON.parse` silently
 * keeps the last of two equal keys, so a gateway that checks the first one could be bypassed. Objects inside arguments
 * are not counted: that would need the keys of every object in the text.
 */
export interface Scan {
  /** The text is nested too deep. The counts are then meaningless. */
  tooDeep: boolean;
  /** The text has too many keys and elements (an empty object or list counts as one). The counts are meaningless. */
  tooMany: boolean;
  envelopeKeys: number;
  paramsKeys: number;
  metaKeys: number;
  argumentsKeys: number;
}

/** The indexes of the counts: one object of each depth, and two at depth 3. */
const META = 2;
const ARGUMENTS = 3;

/** The state of a scan. */
class Structure {
  readonly #scan: Scan = {
    tooDeep: false,
    tooMany: false,
    envelopeKeys: 0,
    paramsKeys: 0,
    metaKeys: 0,
    argumentsKeys: 0,
  };
  readonly #keys = [0, 0, 0, 0];
  #maxDepth = 0;
  #maxItems = 0;
  /** Keys and elements, if the caller reports every comma. */
  #items = 0;
  /** The keys of all objects, if the caller reports every key. */
  #allKeys = 0;
  /** Depth within the message: a batch starts at -1, so that its messages have the same depth as single ones. */
  #depth = 0;
  /** The number of open objects on the path envelope → params → _meta or arguments. */
  #watched = 0;
  /** The index of the count for depth 3. */
  #inParams = META;
  /** The level that becomes watched if the next value is an object. */
  #entering = 0;

  begin(isBatch: boolean, maxDepth: number, maxItems: number): void {
    this.#keys[0] = this.#keys[1] = this.#keys[META] = this.#keys[ARGUMENTS] = 0;
    this.#maxDepth = maxDepth;
    this.#maxItems = maxItems;
    this.#items = 0;
    this.#allKeys = 0;
    this.#depth = isBatch ? -1 : 0;
    this.#watched = 0;
    this.#entering = 0;
  }

  /** Enters an object or a list; returns false if it is nested too deep or exceeds the item limit. */
  open(isObject: boolean): boolean {
    const depth = ++this.#depth;
    if (isObject && (depth === 1 || this.#entering === depth)) this.#watched = depth;
    this.#entering = 0;
    return this.item() && depth <= this.#maxDepth;
  }

  /** Whether the keys of the innermost object are counted. */
  get isWatched(): boolean {
    return this.#depth === this.#watched;
  }

  get items(): number {
    return this.#items;
  }

  get allKeys(): number {
    return this.#allKeys;
  }

  /** The number of levels that may still be opened. */
  get levelsLeft(): number {
    return this.#maxDepth - this.#depth;
  }

  markTooDeep(): void {
    this.#depth = this.#maxDepth + 1;
  }

  /** Counts an item; returns false if it exceeds the limit. */
  item(): boolean {
    return ++this.#items <= this.#maxItems;
  }

  close(): void {
    const depth = --this.#depth;
    if (this.#watched > depth) this.#watched = depth;
  }

  /** Counts the key between the two positions, by its object if that is watched. */
  key(text: string, start: number, end: number): void {
    this.#allKeys++;
    const depth = this.#depth;
    if (depth !== this.#watched || depth <= 0) return;
    const index = depth > META ? this.#inParams : depth - 1;
    this.#keys[index] = (this.#keys[index] ?? 0) + 1;
    this.#entering = this.#isWatchedKey(text, start, end) ? depth + 1 : 0;
  }

  /** Whether the value of the key is watched, if it is an object. */
  #isWatchedKey(text: string, start: number, end: number): boolean {
    if (this.#depth === 1) return isKey(text, start, end, "params");
    if (this.#depth !== 2) return false;
    this.#inParams = isKey(text, start, end, "arguments") ? ARGUMENTS : META;
    return this.#inParams === ARGUMENTS || isKey(text, start, end, "_meta");
  }

  report(): Scan {
    const scan = this.#scan;
    scan.tooDeep = this.#depth > this.#maxDepth;
    scan.tooMany = this.#items > this.#maxItems;
    scan.envelopeKeys = this.#keys[0] ?? 0;
    scan.paramsKeys = this.#keys[1] ?? 0;
    scan.metaKeys = this.#keys[META] ?? 0;
    scan.argumentsKeys = this.#keys[ARGUMENTS] ?? 0;
    return scan;
  }
}

/** The length of an escaped character, such as `\u006d`. */
const ESCAPE_LENGTH = 6;

/** Whether the key between the positions is `name`; it may be written with escapes (`"\u006dethod"`). */
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

/**
 * Scans a text that is no message: counts the keys and elements of all levels, and the keys alone. Returns undefined if it
 * exceeds a limit.
 */
export function scanWhole(
  text: string,
  maxDepth: number,
  maxItems: number,
): { readonly items: number; readonly keys: number } | undefined {
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
