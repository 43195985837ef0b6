import { Access, type Item } from "../../calls/access.ts";
import type { Call } from "../../calls/call.ts";
import type { Principal } from "../../calls/principal.ts";
import { InvalidParams } from "../../protocol/errors.ts";
import type { ServerOptions } from "../../server/options.ts";
import type { ServerState } from "../../server/server.ts";
import { toolsetsOf } from "./query.ts";
import type { Selection } from "./selection.ts";
import { GENERAL_NAMES, suggest } from "./toolsets.ts";

/** Characters of a name in a message. */
const MAX_SHOWN = 64;

/** The access of a server that shows only some of its items, or was asked for some of them by `?toolsets=`. */
export class SelectedAccess extends Access {
  readonly #selection: Selection;

  constructor(options: ServerOptions, selection: Selection) {
    super(options);
    this.#selection = selection;
  }

  override get filters(): boolean {
    return true;
  }

  /** Whether an item exists for the caller: the server shows it, the request asks for it, and so does `shows`. */
  override sees(call: Call, item: Item, principal?: Principal): boolean {
    const toolsets = toolsetsOf(call.origin.query);
    return (
      this.#selection.has(item) &&
      (toolsets === undefined || this.#selection.toolsets.contain(toolsets, item)) &&
      super.sees(call, item, principal)
    );
  }

  /** @throws {InvalidParams} also for a toolset that does not exist for the caller. */
  override authorize(call: Call): void {
    const toolsets = toolsetsOf(call.origin.query);
    if (toolsets !== undefined) this.#checkToolsets(call, toolsets);
    super.authorize(call);
  }

  protected override describeCaller(call: Call): string {
    const toolsets = toolsetsOf(call.origin.query);
    const client = super.describeCaller(call);
    return toolsets === undefined ? client : `${[...toolsets].join()} ${client}`;
  }

  /** A toolset exists for a caller who sees one of its items. Others must not be found by guessing. */
  #checkToolsets(call: Call, asked: ReadonlySet<string>): void {
    const unknown = new Set(asked);
    for (const name of GENERAL_NAMES) unknown.delete(name);
    const seen = new Set<string>();
    for (const item of eachItem(call.server)) {
      if (unknown.size === 0) return;
      const names = this.#selection.toolsets.of(item).filter((name) => !seen.has(name));
      if (names.length === 0 || !this.#selection.has(item) || !super.sees(call, item)) continue;
      for (const name of names) {
        seen.add(name);
        unknown.delete(name);
      }
    }
    const [name] = unknown;
    if (name === undefined) return;
    const hint = suggest(name, seen, "The toolsets are");
    throw new InvalidParams(`Unknown toolset ${JSON.stringify(name.slice(0, MAX_SHOWN))} in ?toolsets=. ${hint}`);
  }
}

/** The items one by one: most requests need only the first ones. */
function* eachItem({ tools, prompts, resources }: ServerState): Generator<Item> {
  for (const registry of [tools, prompts, resources]) {
    for (const key of registry.keys()) {
      const item: Item | undefined = registry.get(key);
      if (item !== undefined) yield item;
    }
  }
}
