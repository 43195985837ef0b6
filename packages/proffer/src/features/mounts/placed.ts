import type { Item } from "../../catalog/access.ts";
import type { ServerState } from "../../server/server.ts";
import { messageOf } from "../../support/log.ts";
import { UsageError } from "../../support/usage-error.ts";
import { type Source, toPrompt, toResource, toTool } from "./items.ts";
import { isOffered } from "./names.ts";
import type { Offer } from "./offer.ts";

/** An item here, and the description that it was made from. */
interface PlacedItem {
  readonly item: Item;
  readonly text: string;
}

/** The items of one mounted server among those of the server around it. */
export class Placed {
  readonly #server: ServerState;
  readonly #source: Source;
  readonly #warn: (text: string) => void;
  /** By kind and key. */
  #items = new Map<string, PlacedItem>();
  #own: ReadonlySet<Item> = new Set();

  constructor(server: ServerState, source: Source, warn: (text: string) => void) {
    this.#server = server;
    this.#source = source;
    this.#warn = warn;
  }

  owns(item: Item): boolean {
    return this.#own.has(item);
  }

  /** Whether there is a resource with this scheme. */
  hasScheme(scheme: string): boolean {
    return [...this.#own].some((item) => item.kind === "resource" && item.uri.startsWith(scheme));
  }

  /** Replaces all items by those of an offer. Those whose descriptions are the same stay. */
  replace({ tools, prompts, resources }: Offer, completes: boolean): void {
    const known = new Map([...this.#items.values()].map(({ item, text }) => [text, item]));
    const next = new Map<string, PlacedItem>();
    const take = <Description extends { readonly name?: string }>(
      descriptions: readonly Description[],
      make: (description: Description) => Item,
    ) => {
      for (const each of descriptions) {
        if (!isOffered(this.#source.options, each.name ?? "")) continue;
        const text = JSON.stringify(each);
        this.#try(() => {
          const item = known.get(text) ?? make(each);
          const mark = markOf(item);
          if (next.has(mark)) throw new UsageError(`There are two of ${mark}.`);
          next.set(mark, { item, text });
        });
      }
    };
    take(tools, (each) => toTool(this.#source, each));
    take(prompts, (each) => toPrompt(this.#source, each));
    take(resources, (each) => toResource(this.#source, each, completes));
    for (const [mark, { item }] of this.#items) if (next.get(mark)?.item !== item) this.#remove(item);
    for (const [mark, { item }] of next) {
      if (this.#items.get(mark)?.item !== item && !this.#try(() => this.#add(item))) next.delete(mark);
    }
    this.#items = next;
    this.#own = new Set([...next.values()].map(({ item }) => item));
  }

  #add(item: Item): void {
    if (item.kind === "tool") this.#server.tools.add(item);
    else if (item.kind === "prompt") this.#server.prompts.add(item);
    else this.#server.resources.add(item);
  }

  #remove(item: Item): void {
    if (item.kind === "tool") this.#server.tools.remove(item.name);
    else if (item.kind === "prompt") this.#server.prompts.remove(item.name);
    else this.#server.resources.remove(item.uri);
  }

  /** One item that cannot be served does not take the others with it. */
  #try(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.#warn(`An item is left out: ${messageOf(error)}`);
      return false;
    }
  }
}

function markOf(item: Item): string {
  return item.kind === "resource" ? `resource ${item.uri}` : `${item.kind} ${item.name}`;
}
