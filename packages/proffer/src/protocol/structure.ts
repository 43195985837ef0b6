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

const WATCHED = ["", "params", "_meta"] as const;

/** What is known of the text up to where the scan is. */
export class Structure {
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
