/** A seeded source of random numbers. */
export interface Random {
  /** An integer from 0 up to, but not including, `limit`. */
  below(limit: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** True in one of `count` cases. */
  oneIn(count: number): boolean;
}

/** Creates a source of random numbers (mulberry32): the same seed draws the same values. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  function below(limit: number): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }
  return {
    below,
    pick: <Item>(items: readonly Item[]) => items[below(items.length)] as Item,
    oneIn: (count) => below(count) === 0,
  };
}
