import { UsageError } from "./usage-error.ts";

/** What is registered under a key, in the order of registration. */
export class Registry<Item> {
  readonly #items = new Map<string, Entry<Item>>();
  readonly #key: (item: Item) => string;
  readonly #what: string;
  readonly #changed: () => void;
  #next = 0;

  constructor(what: string, key: (item: Item) => string, changed: () => void) {
    this.#what = what;
    this.#key = key;
    this.#changed = changed;
  }

  get size(): number {
    return this.#items.size;
  }

  get(key: string): Item | undefined {
    return this.#items.get(key)?.item;
  }

  /** Adds an item and tells connected clients. @throws {UsageError} if its key is taken. */
  add(item: Item): void {
    const key = this.#key(item);
    if (this.#items.has(key)) {
      throw new UsageError(
        "duplicate",
        `There are two ${this.#what}s named "${key}"; rename one, or remove the first before adding the second.`,
      );
    }
    this.#items.set(key, { item, position: this.#next++ });
    this.#changed();
  }

  /** Removes an item and tells connected clients; false if there is none of that key. */
  remove(key: string): boolean {
    const removed = this.#items.delete(key);
    if (removed) this.#changed();
    return removed;
  }

  [Symbol.iterator](): Iterator<Item> {
    return [...this.#items.values()].map((entry) => entry.item)[Symbol.iterator]();
  }

  /** The items with their positions, which never change and are never given twice: cursors can rely on them. */
  entries(): readonly Entry<Item>[] {
    return [...this.#items.values()];
  }
}

export interface Entry<Item> {
  readonly item: Item;
  readonly position: number;
}
