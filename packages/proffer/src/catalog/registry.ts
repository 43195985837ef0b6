import { UsageError } from "../support/usage-error.ts";

/** Tools, prompts or resources by key, in the order of registration. */
export class Registry<Item extends { readonly kind: string; readonly was?: readonly string[] | undefined }> {
  readonly #items = new Map<string, Entry<Item>>();
  /** The items by earlier names, which clients can use and lists do not have. */
  readonly #aliases = new Map<string, Item>();
  readonly #key: (item: Item) => string;
  readonly #what: "tool" | "prompt" | "resource";
  readonly #changed: (added?: Item) => void;
  #next = 0;

  constructor(what: "tool" | "prompt" | "resource", key: (item: Item) => string, changed: (added?: Item) => void) {
    this.#what = what;
    this.#key = key;
    this.#changed = changed;
  }

  get size(): number {
    return this.#items.size;
  }

  /** Whether an item has an earlier name. */
  get isAliased(): boolean {
    return this.#aliases.size > 0;
  }

  get(key: string): Item | undefined {
    return this.#items.get(key)?.item ?? this.#aliases.get(key);
  }

  /** Adds an item and notifies clients. @throws {UsageError} if the key is already registered. */
  add(item: Item): void {
    this.#checkDefined(item);
    const key = this.#key(item);
    for (const name of [key, ...(item.was ?? [])]) {
      const other = this.get(name);
      if (other === undefined) continue;
      const names =
        name === key && this.#items.has(key) ? "" : `, a name or an earlier name of "${key}" and "${this.#key(other)}"`;
      throw new UsageError(
        "duplicate",
        `Duplicate ${this.#what} "${name}"${names}. Rename one, or remove the first before adding the second.`,
      );
    }
    for (const name of item.was ?? []) this.#aliases.set(name, item);
    this.#items.set(key, { item, position: this.#next++ });
    this.#changed(item);
  }

  /** Removes an item and notifies clients. Returns false if the key is not registered. */
  remove(key: string): boolean {
    for (const name of this.#items.get(key)?.item.was ?? []) this.#aliases.delete(name);
    const removed = this.#items.delete(key);
    if (removed) this.#changed();
    return removed;
  }

  keys(): Iterable<string> {
    return this.#items.keys();
  }

  [Symbol.iterator](): Iterator<Item> {
    return [...this.#items.values()].map((entry) => entry.item)[Symbol.iterator]();
  }

  /** Rejects plain options: without types it is easy to forget the define function. */
  #checkDefined(item: Item & { readonly name?: unknown }): void {
    if (item?.kind === this.#what) return;
    const kind = this.#what.charAt(0).toUpperCase() + this.#what.slice(1);
    throw new UsageError("wrong_use", `${kind} "${item?.name}" was not created by define${kind}().`);
  }

  /** Returns the items with their positions, which never change and are never reused: cursors rely on that. */
  entries(): readonly Entry<Item>[] {
    return [...this.#items.values()];
  }
}

export interface Entry<Item> {
  readonly item: Item;
  readonly position: number;
}
