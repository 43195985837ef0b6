import type { Call } from "../calls/call.ts";
import type { Client, Principal } from "../calls/client.ts";
import type { Prompt } from "../prompts/define.ts";
import { InsufficientScope } from "../protocol/errors.ts";
import type { Resource } from "../resources/define.ts";
import type { SerializedResult } from "../results/encode.ts";
import { covers } from "../support/scope.ts";
import type { Tool } from "../tools/define.ts";
import type { RouteMatch } from "../uri/routes.ts";
import { type NamedItem, namedItems, routeOf } from "./find.ts";
import type { List } from "./pages.ts";
import type { Entry } from "./registry.ts";

/** A tool, a prompt or a resource of a server: `kind` is one of the three. */
export type Item = Tool | Prompt | Resource;

/** Who would see an item. */
export interface Caller {
  readonly principal: Principal | undefined;
  readonly client: Client;
}

/** Whether an item exists for a caller. Pure and synchronous: the answer may be remembered. */
export type Shows = (item: Item, caller: Caller) => boolean;

/** The entries of a list that some callers see, and the pages made of them. */
export interface VisibleSet<Listed = Item> {
  /** Never used again for another set. */
  readonly id: number;
  readonly entries: readonly Entry<Listed>[];
  readonly pages: Map<string, SerializedResult>;
}

/** More sets than these are computed again: a server with a set per caller must not keep a list per caller. */
const MAX_SETS = 64;
/** The sets that are remembered for one principal, with different clients. */
const MAX_REMEMBERED = 32;
/** In characters. A longer description of a client is not remembered. */
const MAX_CLIENT = 2000;

const ANONYMOUS = {};

const EVERYTHING: List<Item> = {
  name: "everything",
  entries: ({ server: { tools, prompts, resources } }) => [
    ...tools.entries(),
    ...prompts.entries(),
    ...resources.entries(),
  ],
  describe: (item) => item.description,
};

/** Decides which items a caller sees, and whether a request may use them. */
export class Access {
  readonly #shows: Shows | undefined;
  readonly #granted: boolean;
  /** The sets by list and marks, oldest first. */
  readonly #sets = new Map<string, VisibleSet>();
  readonly #byId = new Map<number, VisibleSet>();
  #nextId = 0;
  /** The ids of the sets of each caller, by list and client. */
  #remembered = new WeakMap<object, Map<string, number>>();

  constructor({ shows, lists }: { readonly shows?: Shows; readonly lists?: "all" | "granted" }) {
    this.#shows = shows;
    this.#granted = lists === "granted";
  }

  /** Whether lists may lack items. */
  get filters(): boolean {
    return this.#shows !== undefined || this.#granted;
  }

  /** Whether an item exists for the caller. */
  sees(call: Call, item: Item, principal = call.origin.principal): boolean {
    if (this.#shows === undefined) return true;
    try {
      const shown: unknown = this.#shows(item, { principal, client: call.client });
      if (typeof shown === "boolean") return shown;
      // A promise would count as true.
      throw new TypeError(`shows must return a boolean, not a value of type ${typeof shown}`);
    } catch (error) {
      call.server.logError(call, "The shows function failed, so the item is hidden", error);
      return false;
    }
  }

  /** Whether a caller who subscribed to a resource may still read it, with a newer token. */
  mayRead(call: Call, named: NamedItem, principal: Principal | undefined): boolean {
    const { transport } = call.origin;
    return this.sees(call, named.item, principal) && covers({ principal, transport }, neededFor(named));
  }

  /** Whether an item is in the lists of the caller. */
  lists(call: Call, item: Item): boolean {
    return this.sees(call, item) && !(this.#granted && item.scopes !== undefined && !covers(call.origin, item.scopes));
  }

  /** The route of a URI among the resources that the caller sees. */
  route(call: Call, uri: string): RouteMatch<Resource> | undefined {
    if (call.routed?.uri === uri) return call.routed.route;
    const allows = this.filters ? (resource: Resource) => this.sees(call, resource) : undefined;
    const route = routeOf(call.server, uri, allows);
    call.routed = { uri, route };
    return route;
  }

  /** @throws {InsufficientScope} if the request needs scopes that the caller lacks, with all that it needs. */
  authorize(call: Call): void {
    const needed = this.missing(call);
    if (needed.length > 0) throw new InsufficientScope(call.method, needed);
  }

  /** All scopes that a request needs, if the caller lacks one of them; otherwise none. */
  missing(call: Call): readonly string[] {
    const named = namedItems(call);
    const needed = named.length === 1 ? neededFor(named[0] as NamedItem) : [...new Set(named.flatMap(neededFor))];
    return covers(call.origin, needed) ? NONE : needed;
  }

  /** The entries that the caller sees; undefined if all callers see the same. */
  visibleSet<Listed extends Item>(call: Call, list: List<Listed>): VisibleSet<Listed> | undefined {
    if (!this.filters) return undefined;
    const caller = call.origin.principal ?? ANONYMOUS;
    const client = this.describeCaller(call);
    const key = `${list.name} ${call.origin.transport} ${client}`;
    const known = this.#byId.get(this.#remembered.get(caller)?.get(key) ?? -1);
    if (known !== undefined) return known as VisibleSet<Listed>;
    const set = this.#find(call, list as List<Item>);
    if (client.length <= MAX_CLIENT) this.#remember(caller, key, set.id);
    return set as VisibleSet<Listed>;
  }

  /** Whatever decides about the lists of a call besides the principal and the transport. */
  protected describeCaller(call: Call): string {
    return this.#shows === undefined ? "" : JSON.stringify(call.client);
  }

  /** Identifies the items that the caller sees; undefined if all callers see the same. */
  visibleId(call: Call): number | undefined {
    return this.visibleSet(call, EVERYTHING)?.id;
  }

  /** Forgets the visible sets, because items were added or removed. */
  clear(): void {
    this.#sets.clear();
    this.#byId.clear();
    this.#remembered = new WeakMap();
  }

  #remember(caller: object, key: string, id: number): void {
    const ids = this.#remembered.get(caller) ?? new Map<string, number>();
    if (ids.size >= MAX_REMEMBERED) ids.clear();
    this.#remembered.set(caller, ids.set(key, id));
  }

  /** The set of the items that the caller sees, which may be that of another caller. */
  #find(call: Call, list: List<Item>): VisibleSet {
    const marks: string[] = [list.name];
    const entries = list.entries(call).filter(({ item }) => {
      const isListed = this.lists(call, item);
      marks.push(isListed ? "1" : "0");
      return isListed;
    });
    const key = marks.join("");
    const same = this.#sets.get(key);
    if (same !== undefined) return same;
    const [oldest] = this.#sets;
    if (oldest !== undefined && this.#sets.size >= MAX_SETS) {
      this.#sets.delete(oldest[0]);
      this.#byId.delete(oldest[1].id);
    }
    const set: VisibleSet = { id: this.#nextId++, entries, pages: new Map() };
    this.#sets.set(key, set);
    this.#byId.set(set.id, set);
    return set;
  }
}

const NONE: readonly string[] = [];

/** The scopes of an item, and of those arguments that the request gives. */
export function neededFor({ item: { scopes = NONE, paramScopes }, given }: NamedItem): readonly string[] {
  if (paramScopes === undefined) return scopes;
  const all = new Set(scopes);
  for (const [name, more] of paramScopes) if (Object.hasOwn(given, name)) for (const scope of more) all.add(scope);
  return [...all];
}
