import { UsageError } from "../support/usage-error.ts";

/** What is registered under a key, in the order of registration. */
export class Registry<Item extends { readonly description: object }> {
  readonly #items = new Map<string, Entry<Item>>();
  readonly #key: (item: Item) => string;
  readonly #what: "tool" | "prompt" | "resource";
  readonly #changed: () => void;
  #next = 0;

  constructor(what: "tool" | "prompt" | "resource", key: (item: Item) => string, changed: () => void) {
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
    this.#checkMade(item);
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

  /** Without types it is easy to pass what a define function takes in place of what it gives. */
  #checkMade(item: Item): void {
    if (typeof item === "object" && item !== null && typeof item.description === "object") return;
    const define = `define${this.#what.charAt(0).toUpperCase()}${this.#what.slice(1)}`;
    throw new UsageError(
      "wrong_use",
      `A ${this.#what} must be what ${define}() returns; wrap its options in a call of it.`,
    );
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
