import type { Item } from "../../calls/access.ts";
import type { Choice } from "./choice.ts";
import { matchesItem } from "./pattern.ts";
import { DEFAULT_NAMES, type Toolsets } from "./toolsets.ts";

/** The items that a server shows, whoever calls. Each item is decided once. */
export class Selection {
  readonly toolsets: Toolsets;
  readonly #choice: Choice;
  readonly #named: ReadonlySet<string>;
  readonly #decided = new WeakMap<Item, boolean>();

  constructor(toolsets: Toolsets, choice: Choice) {
    this.toolsets = toolsets;
    this.#choice = choice;
    this.#named = choice.toolsets === undefined ? DEFAULT_NAMES : new Set(choice.toolsets.names);
  }

  has(item: Item): boolean {
    const known = this.#decided.get(item);
    if (known !== undefined) return known;
    const isShown = this.#decide(item);
    this.#decided.set(item, isShown);
    return isShown;
  }

  #decide(item: Item): boolean {
    const { readOnly, only, except } = this.#choice;
    const isMatch = (pattern: string) => matchesItem(pattern, item);
    return (
      this.toolsets.contain(this.#named, item) &&
      !(readOnly && mayWrite(item)) &&
      (only === undefined || only.names.some(isMatch)) &&
      !except?.names.some(isMatch)
    );
  }
}

/** A tool that says nothing may do anything. */
function mayWrite(item: Item): boolean {
  return item.kind === "tool" && item.description.annotations?.readOnlyHint !== true;
}
