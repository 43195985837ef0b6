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
export class Structure {
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
