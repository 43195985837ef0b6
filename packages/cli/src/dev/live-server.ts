import type { Collection, Server } from "proffer";
import { LiveItem } from "./live-item.ts";

/** What an edit changed for clients. */
export interface Difference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** A server whose tools, prompts and resources can be replaced by those of another one. */
export interface LiveServer {
  readonly server: Server;
  /** Takes over what another version has. Clients hear of it only if something that they can see is different. */
  follow(next: Server): Difference;
}

const KINDS = ["tools", "prompts", "resources"] as const;

/** Makes a server live. It keeps its name, version and instructions, and whatever else was decided at its start. */
export function createLiveServer(first: Server): LiveServer {
  let version = 1;
  const lists = KINDS.map((kind) => new LiveList(first[kind] as Collection<Item>));
  return {
    server: first,
    follow(next) {
      version += 1;
      const differences = KINDS.map((kind, index) => {
        const items = [...(next[kind] as Collection<Item>)];
        const difference = lists[index]?.follow(items, version);
        forward(next[kind] as Collection<Item>, first[kind] as Collection<Item>);
        return difference;
      });
      Object.assign(next, { notify: first.notify.bind(first) });
      const all = (part: keyof Difference) => differences.flatMap((difference) => difference?.[part] ?? []);
      return { added: all("added"), removed: all("removed"), changed: all("changed") };
    },
  };
}

interface Item {
  readonly name: string;
  readonly uri?: string;
  readonly description: object;
}

class LiveList {
  readonly #collection: Collection<Item>;
  readonly #items = new Map<string, LiveItem<Item>>();

  constructor(collection: Collection<Item>) {
    this.#collection = collection;
    for (const item of [...collection]) {
      collection.remove(keyOf(item));
      this.#add(item, 1);
    }
  }

  follow(items: readonly Item[], version: number): Difference {
    const keys = new Set(items.map(keyOf));
    const removed = [...this.#items.keys()].filter((key) => !keys.has(key));
    for (const key of removed) this.#remove(key);
    const added: string[] = [];
    const changed: string[] = [];
    for (const item of items) {
      const key = keyOf(item);
      const live = this.#items.get(key);
      if (live?.replace(item, version)) continue;
      (live === undefined ? added : changed).push(key);
      this.#remove(key);
      this.#add(item, version);
    }
    return { added, removed, changed };
  }

  #add(item: Item, version: number): void {
    const live = new LiveItem(item, version);
    this.#items.set(keyOf(item), live);
    this.#collection.add(live.view);
  }

  #remove(key: string): void {
    this.#items.delete(key);
    this.#collection.remove(key);
  }
}

function keyOf({ uri, name }: Item): string {
  return uri ?? name;
}

/** What the author's code registers later, on the server that it knows, reaches the clients of the first one. */
function forward(from: Collection<Item>, to: Collection<Item>): void {
  const add = from.add.bind(from);
  const remove = from.remove.bind(from);
  Object.assign(from, {
    add(item: Item) {
      add(item);
      to.add(item);
    },
    remove(key: string) {
      to.remove(key);
      return remove(key);
    },
  });
}
