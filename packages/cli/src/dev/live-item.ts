import type { Context } from "proffer";

/** What clients can be told of, and what runs when they use it. */
interface Described {
  readonly description: object;
}

type Run = (input: unknown, ctx: Context) => unknown;

/** The methods that run the author's code for one request. */
const RUNNERS: ReadonlySet<PropertyKey> = new Set(["handle", "get", "read"]);
/** Under this name the version that a call began on travels with the state of its questions. */
const VERSION_STEP = "proffer dev: version";
/** Questions about versions older than that are asked again of the newest. */
const KEPT_VERSIONS = 10;

/**
 * A tool, prompt or resource that stays registered while what it is made of is replaced. A call that has begun goes
 * on with the version it began on, even if a question ends its request and the answer comes with another one.
 */
export class LiveItem<Item extends Described> {
  /** What is registered. */
  readonly view: Item;
  #versions = new Map<number, Item>();
  #current: Item;
  #version: number;

  constructor(item: Item, version: number) {
    this.#current = item;
    this.#version = version;
    this.#versions.set(version, item);
    // Nothing is kept of the first version: every property is looked up when it is used.
    this.view = new Proxy({} as Item, {
      get: (_, key) => (RUNNERS.has(key) ? this.#runner(key) : this.#property(key)),
      has: (_, key) => key in this.#current,
    });
  }

  /** Replaces what the item is made of; false if clients would have to be told, and nothing was done. */
  replace(item: Item, version: number): boolean {
    if (!isSameOutside(this.#current, item)) return false;
    this.#current = item;
    this.#version = version;
    this.#versions.set(version, item);
    const [oldest] = this.#versions.keys();
    if (this.#versions.size > KEPT_VERSIONS && oldest !== undefined) this.#versions.delete(oldest);
    return true;
  }

  #property(key: PropertyKey): unknown {
    // What is fixed would be serialised once and for all; `read` gives it, too.
    return key === "content" ? undefined : Reflect.get(this.#current, key);
  }

  #runner(key: PropertyKey): Run {
    return async (input, ctx) => {
      const version = await ctx.step(VERSION_STEP, () => this.#version);
      const item = this.#versions.get(version) ?? this.#current;
      return (Reflect.get(item, key) as Run).call(item, input, ctx);
    };
  }
}

/**
 * Whether one can take the other's place without anybody noticing. What is decided once at the registration must be
 * the same: the rules of the group that a resource belongs to, whether a template lists, whether something is watched.
 */
function isSameOutside(before: Described, after: Described): boolean {
  if (JSON.stringify(before.description) !== JSON.stringify(after.description)) return false;
  const [a, b] = [before as Registered, after as Registered];
  return a.rules === b.rules && !a.list === !b.list && !a.watch && !b.watch && !a.exists === !b.exists;
}

interface Registered {
  readonly rules?: unknown;
  readonly list?: unknown;
  readonly watch?: unknown;
  readonly exists?: unknown;
}
