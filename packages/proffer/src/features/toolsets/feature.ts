import type { Call } from "../../calls/call.ts";
import type { Principal } from "../../calls/client.ts";
import { Access, type Item } from "../../catalog/access.ts";
import { InvalidParams, RpcError } from "../../protocol/errors.ts";
import type { Feature } from "../../server/feature.ts";
import type { ServerOptions } from "../../server/options.ts";
import { itemsOf } from "../../server/scopes.ts";
import type { ServerState } from "../../server/server.ts";
import { Memo } from "../../support/memo.ts";
import { UsageError } from "../../support/usage-error.ts";
import { checkMatches, DEFAULT_NAMES, GENERAL_NAMES, matchesItem, suggest, Toolsets } from "./toolsets.ts";

/** The option `toolsets`, and `?toolsets=`: which items exist for a request. */
export const feature: Feature = { attach: selectOnce };

/** Applies the choice of the person who starts servers. @throws {UsageError} for names that no server has. */
export async function chooseItems(servers: readonly ServerState[], choice: Choice): Promise<void> {
  // Features may add items.
  await Promise.all(servers.map(({ features }) => features.loading));
  select(servers, choice);
}

/** Shows every toolset of a server, also those with `default: false`: for commands of its author. */
export async function showAllToolsets(server: ServerState): Promise<void> {
  if (server.options.toolsets !== undefined)
    await chooseItems([server], { toolsets: { names: ["all"], origin: "all" } });
}

/**
 * Decides which items servers show from now on, by their option `toolsets` and the choice of the person who starts them.
 * @throws {UsageError} for invalid options, and for names of the choice that no server has. Then nothing has changed.
 */
export function select(servers: readonly ServerState[], choice: Choice = {}): void {
  const prepared = servers.map((server) => ({
    server,
    items: itemsOf(server),
    toolsets: new Toolsets(server.options),
  }));
  // The items of other servers come later, so that nobody knows yet which names there are.
  const isComplete = servers.every(({ options }) => options.servers === undefined);
  for (const { toolsets, items } of prepared) if (isComplete) toolsets.check(items);
  const names = prepared.flatMap(({ toolsets, items }) => toolsets.names(items));
  if (choice.toolsets !== undefined) checkToolsets(choice.toolsets, new Set([...names, ...GENERAL_NAMES]));
  const items = prepared.flatMap((each) => each.items);
  for (const chosen of isComplete ? [choice.only, choice.except] : []) {
    for (const pattern of chosen?.names ?? []) checkMatches(pattern, items, `${chosen?.origin} has`);
  }
  for (const { server, toolsets } of prepared) show(server, new SelectedAccess(server.options, toolsets, choice));
}

/** Selects the items that the server shows by default, unless it was selected before. @throws {UsageError} for invalid options. */
export function selectOnce(server: ServerState): void {
  if (!(server.access instanceof SelectedAccess)) select([server]);
}

function checkToolsets({ names, origin }: ChosenNames, known: ReadonlySet<string>): void {
  for (const name of names) {
    if (known.has(name)) continue;
    const hint = suggest(name, known, "The toolsets are");
    throw new UsageError(`${origin} has the unknown toolset ${JSON.stringify(name)}. ${hint}`);
  }
}

function show(server: ServerState, access: SelectedAccess): void {
  server.access = access;
  server.forgetPages();
  if (server.tools.size === 0 || [...server.tools].some((tool) => access.has(tool))) return;
  server.log({
    level: "warning",
    message: `Server "${server.info.name}" shows none of its ${server.tools.size} tools.`,
  });
}

/** A tool that says nothing may do anything. */
function mayWrite(item: Item): boolean {
  return item.kind === "tool" && item.description.annotations?.readOnlyHint !== true;
}

/** The items that the person who starts a server shows of it. Every part hides more, except toolsets with `default: false`. */
export interface Choice {
  /** The toolsets to show, instead of those that are shown by default. */
  readonly toolsets?: ChosenNames;
  /** Whether to hide the tools that do not say that they change nothing. */
  readonly readOnly?: boolean;
  /** Patterns of names: everything else is hidden. */
  readonly only?: ChosenNames;
  /** Patterns of names that are hidden. */
  readonly except?: ChosenNames;
}

export interface ChosenNames {
  readonly names: readonly string[];
  /** Where the names come from, for messages: a flag or a variable. */
  readonly origin: string;
}

/** Characters of a name in a message. */
const MAX_SHOWN = 64;

/** The access of a server that shows only some of its items, or was asked for some of them by `?toolsets=`. */
class SelectedAccess extends Access {
  readonly #toolsets: Toolsets;
  readonly #choice: Choice;
  /** The toolsets that the server shows. */
  readonly #named: ReadonlySet<string>;
  /** Each item is decided once. */
  readonly #decided = new WeakMap<Item, boolean>();

  constructor(options: ServerOptions, toolsets: Toolsets, choice: Choice) {
    super(options);
    this.#toolsets = toolsets;
    this.#choice = choice;
    this.#named = choice.toolsets === undefined ? DEFAULT_NAMES : new Set(choice.toolsets.names);
  }

  /** Whether the server shows an item, to any caller. */
  has(item: Item): boolean {
    const known = this.#decided.get(item);
    if (known !== undefined) return known;
    const { readOnly, only, except } = this.#choice;
    const isMatch = (pattern: string) => matchesItem(pattern, item);
    const isShown =
      this.#toolsets.contain(this.#named, item) &&
      !(readOnly && mayWrite(item)) &&
      (only === undefined || only.names.some(isMatch)) &&
      !except?.names.some(isMatch);
    this.#decided.set(item, isShown);
    return isShown;
  }

  override get filters(): boolean {
    return true;
  }

  /** Whether an item exists for the caller: the server shows it, the request asks for it, and so does `shows`. */
  override sees(call: Call, item: Item, principal?: Principal): boolean {
    const toolsets = toolsetsOf(call.origin.query);
    return (
      this.has(item) &&
      (toolsets === undefined || this.#toolsets.contain(toolsets, item)) &&
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

  /** A toolset exists for a caller that sees one of its items. Others must not be found by guessing. */
  #checkToolsets(call: Call, asked: ReadonlySet<string>): void {
    const unknown = new Set(asked);
    for (const name of GENERAL_NAMES) unknown.delete(name);
    const seen = new Set<string>();
    for (const item of eachItem(call.server)) {
      if (unknown.size === 0) return;
      const names = this.#toolsets.of(item).filter((name) => !seen.has(name));
      if (names.length === 0 || !this.has(item) || !super.sees(call, item)) continue;
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

/** In characters, decoded. */
const MAX_LENGTH = 2000;
const MAX_NAMES = 50;

/** By the query: the requests of a client have the same. */
const parsed = new Memo(parseToolsets);

/**
 * The toolsets that the query of a request asks for, in order; undefined if it does not.
 * @throws {RpcError} for a parameter that is empty, too long, or repeated: a proxy may have checked the other one.
 */
function toolsetsOf(query: string | undefined): ReadonlySet<string> | undefined {
  return query?.includes("toolsets=") ? parsed.get(query) : undefined;
}

function parseToolsets(query: string): ReadonlySet<string> | undefined {
  const values = new URLSearchParams(query).getAll("toolsets");
  const [value] = values;
  if (value === undefined) return undefined;
  if (values.length > 1) throw badQuery("is there twice. Separate the names by commas");
  if (value.length > MAX_LENGTH) throw badQuery(`has more than ${MAX_LENGTH} characters`);
  const names = new Set(value.split(",").map((name) => name.trim()));
  names.delete("");
  if (names.size === 0) throw badQuery("names no toolset. Leave it out to see all that the server shows");
  if (names.size > MAX_NAMES) throw badQuery(`names more than ${MAX_NAMES} toolsets`);
  return new Set([...names].sort());
}

function badQuery(problem: string): RpcError {
  return new RpcError("invalid_request", `The query parameter toolsets ${problem}.`);
}
