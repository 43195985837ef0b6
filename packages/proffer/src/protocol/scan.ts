/**
 * What JSON.parse does not tell: how deep a text nests, and how many keys it wrote into the envelope, `params` and
 * `params._meta`. Two equal keys would silently become one; whoever checks the first and acts on the last is fooled.
 * One linear pass that is right for valid JSON and harmless on anything else.
 */
export interface Scan {
  /** The text nests deeper than allowed. The counts are then meaningless. */
  tooDeep: boolean;
  envelopeKeys: number;
  paramsKeys: number;
  metaKeys: number;
}

const QUOTE = 34;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Strings longer than this are skipped by `indexOf`, which is slower to start and faster to run than a loop. */
const LONG_STRING = 48;

const WATCHED = ["", "params", "_meta"] as const;

/**
 * Scans one message, or a batch, whose counts are the sums over its messages. The object returned is reused by the
 * next call: read it at once.
 */
export function scan(text: string, maxDepth: number): Scan {
  const keys = found.keys;
  keys[0] = keys[1] = keys[2] = 0;
  // Depth below the message, so that the messages of a batch count like single ones.
  let depth = 0;
  const batch = /^\s*\[/.test(text);
  if (batch) depth = -1;
  // How many levels from the root are objects on the way envelope → params → _meta.
  let watched = 0;
  let entering = 0;
  let keyStart = 0;
  let keyEnd = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = closingQuote(text, at + 1);
        keyStart = at + 1;
        keyEnd = end;
        at = end;
        break;
      }
      case COLON:
        if (depth === watched && depth > 0) {
          keys[depth - 1] = (keys[depth - 1] ?? 0) + 1;
          const next = WATCHED[depth];
          entering = next !== undefined && isKey(text, keyStart, keyEnd, next) ? depth + 1 : 0;
        }
        break;
      case OPEN_BRACE:
        depth++;
        if (depth === 1 || entering === depth) watched = depth;
        entering = 0;
        if (depth > maxDepth) return report(true);
        break;
      case OPEN_BRACKET:
        depth++;
        entering = 0;
        if (depth > maxDepth) return report(true);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--;
        if (watched > depth) watched = depth;
        break;
    }
  }
  return report(false);
}

const found = {
  keys: [0, 0, 0],
  scan: { tooDeep: false, envelopeKeys: 0, paramsKeys: 0, metaKeys: 0 },
};

function report(tooDeep: boolean): Scan {
  const { keys, scan } = found;
  scan.tooDeep = tooDeep;
  scan.envelopeKeys = keys[0] ?? 0;
  scan.paramsKeys = keys[1] ?? 0;
  scan.metaKeys = keys[2] ?? 0;
  return scan;
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

/** Whether the key written at `start` is `name`; a key may be written with escapes (`"\u006dethod"`). */
function isKey(text: string, start: number, end: number, name: string): boolean {
  if (text.startsWith(name, start) && end - start === name.length) return true;
  const raw = text.slice(start, end);
  if (!raw.includes("\\")) return false;
  try {
    return JSON.parse(`"${raw}"`) === name;
  } catch {
    return false;
  }
}
