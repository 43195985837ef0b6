/**
 * Items by the texts that something begins and ends with. A search costs one step for each pair of lengths that occur,
 * however many texts there are.
 */
export interface Affixes<Item> {
  readonly byPrefix: Map<string, Suffixes<Item>>;
  /** The lengths of the prefixes, the longest first. */
  lengths: readonly number[];
}

interface Suffixes<Item> {
  readonly bySuffix: Map<string, Item>;
  lengths: readonly number[];
}

export function createAffixes<Item>(): Affixes<Item> {
  return { byPrefix: new Map(), lengths: [] };
}

/** The item under two affixes, created if there is none. */
export function obtain<Item>(affixes: Affixes<Item>, prefix: string, suffix: string, create: () => Item): Item {
  let suffixes = affixes.byPrefix.get(prefix);
  if (suffixes === undefined) {
    suffixes = { bySuffix: new Map(), lengths: [] };
    affixes.byPrefix.set(prefix, suffixes);
    affixes.lengths = withLength(affixes.lengths, prefix.length);
  }
  let item = suffixes.bySuffix.get(suffix);
  if (item === undefined) {
    item = create();
    suffixes.bySuffix.set(suffix, item);
    suffixes.lengths = withLength(suffixes.lengths, suffix.length);
  }
  return item;
}

function withLength(lengths: readonly number[], length: number): readonly number[] {
  return lengths.includes(length) ? lengths : [...lengths, length].sort((a, b) => b - a);
}

/** Visits the items whose affixes a stretch of text has, the longest prefix first, until a visit has a result. */
export function visit<Item, Search extends { readonly path: string }, Result>(
  affixes: Affixes<Item>,
  search: Search,
  start: number,
  end: number,
  visitor: (item: Item, search: Search, end: number) => Result | undefined,
): Result | undefined {
  const { path } = search;
  for (const prefixLength of affixes.lengths) {
    const rest = end - start - prefixLength;
    if (rest < 0) continue;
    const suffixes = affixes.byPrefix.get(path.slice(start, start + prefixLength));
    if (suffixes === undefined) continue;
    for (const suffixLength of suffixes.lengths) {
      if (suffixLength > rest) continue;
      const item = suffixes.bySuffix.get(path.slice(end - suffixLength, end));
      const result = item === undefined ? undefined : visitor(item, search, end);
      if (result !== undefined) return result;
    }
  }
  return undefined;
}
