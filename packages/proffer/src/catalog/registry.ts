import { InvalidParams } from "../protocol/errors.ts";
import { findSimilar } from "../support/similar.ts";
import { UsageError } from "../support/usage-error.ts";

/** Tools, prompts or resources by key, in the order of registration. */
export class Registry<Item extends { readonly kind: string; readonly was?: readonly string[] | undefined }> {
  readonly #items = new Map<string, Entry<Item>>();
  /** The items by earlier names, which clients can use and lists do not have. */
  readonly #aliases = new Map<string, Item>();
  readonly #key: keyof Item;
  readonly #what: "tool" | "prompt" | "resource";
  readonly #changed: (added?: Item) => void;
  #next = 0;

  constructor(what: "tool" | "prompt" | "resource", key: keyof Item, changed: (added?: Item) => void) {
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
    const key = String(item[this.#key]);
    for (const name of [key, ...(item.was ?? [])]) {
      const other = this.get(name);
      if (other === undefined) continue;
      const names =
        name === key && this.#items.has(key) ? "" : `, a name or an earlier name of "${key}" and "${other[this.#key]}"`;
      throw new UsageError(
        `Duplicate ${this.#what} "${name}"${names}. Rename one, or remove the first before adding the second.`,
        "duplicate",
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
    throw new UsageError(`${kind} "${item?.name}" was not created by define${kind}().`, "wrong_use");
  }

  /** Returns the items with their positions, which never change and are never reused: cursors rely on that. */
  entries(): readonly Entry<Item>[] {
    return [...this.#items.values()];
  }
}

/** The public members of a class, which a view of an instance can implement too. */
export type Public<Class> = Pick<Class, keyof Class>;

export interface Entry<Item> {
  readonly item: Item;
  readonly position: number;
}

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters on purpose
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Names that every JavaScript object inherits. */
const RESERVED = new Set(["__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty"]);

/** Rejects a tool name that clients would reject: the specification allows 1 to 128 of `A-Z a-z 0-9 _ . -`. */
export function checkToolName(name: unknown): void {
  if (typeof name === "string" && TOOL_NAME.test(name) && !RESERVED.has(name)) return;
  throw new UsageError(
    `Invalid tool name ${quote(name)}. Use 1 to 128 of A-Z a-z 0-9 _ . - and no name of Object.prototype.`,
    "bad_name",
  );
}

/** Checks the earlier names of an item. Undefined if it has none. */
export function checkAliases(
  was: unknown,
  name: string,
  where: string,
  check: (name: unknown) => void,
): readonly string[] | undefined {
  if (was === undefined) return undefined;
  if (!Array.isArray(was) || new Set([name, ...was]).size <= was.length)
    throw new UsageError(`${where}: was must be an array of earlier names, each once, without "${name}".`);
  for (const each of was) check(each);
  return was.length === 0 ? undefined : Object.freeze([...was]);
}

/** Rejects a name of a prompt, an argument or a resource that could not be displayed or looked up safely. */
export function checkName(name: unknown, what: string): void {
  const isValid =
    typeof name === "string" && name.length > 0 && name.length <= 128 && !CONTROL.test(name) && !RESERVED.has(name);
  if (isValid) return;
  throw new UsageError(
    `Invalid name ${quote(name)} of ${what}. Use 1 to 128 characters, no control characters and no name of Object.prototype.`,
    "bad_name",
  );
}

function quote(name: unknown): string {
  return typeof name === "string" ? JSON.stringify(name.length > 160 ? `${name.slice(0, 160)}…` : name) : String(name);
}

/** Creates the error for a name that is not registered. Only `candidates` are suggested. */
export function unknownName(what: "tool" | "prompt", name: string, candidates: Iterable<string>): InvalidParams {
  const similar = findSimilar(name, candidates);
  const hint = similar ? `Did you mean "${similar}"?` : `${what}s/list returns the available ${what}s.`;
  return new InvalidParams(`Unknown ${what} ${JSON.stringify(name.slice(0, 128))}. ${hint}`);
}

/** How an item names its toolset, as the author writes it. */
export interface ToolsetOption {
  /** The toolset of the item, which whoever starts the server can choose: see `toolsets` of `defineServer`. */
  readonly toolset?: string;
}

/** The toolset that an item names itself; patterns of the server may add it to others. */
export interface Grouped {
  readonly toolset: string | undefined;
}
