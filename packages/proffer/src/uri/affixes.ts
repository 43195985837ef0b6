/**
 * Items by a text that something begins or ends with, the longest first. A search costs one step for each length that
 * occurs, however many texts there are.
 */
export interface Affixes<Item> {
  readonly items: Map<string, Item>;
  /** The lengths of the texts, the longest first. */
  lengths: readonly number[];
}

export function createAffixes<Item>(): Affixes<Item> {
  return { items: new Map(), lengths: [] };
}

/** The item under a text, created if there is none. */
export function obtain<Item>(affixes: Affixes<Item>, text: string, create: () => Item): Item {
  const known = affixes.items.get(text);
  if (known !== undefined) return known;
  const item = create();
  affixes.items.set(text, item);
  if (!affixes.lengths.includes(text.length)) {
    affixes.lengths = [...affixes.lengths, text.length].sort((a, b) => b - a);
  }
  return item;
}
