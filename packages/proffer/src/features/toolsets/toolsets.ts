import type { Item } from "../../catalog/access.ts";
import { isObject } from "../../protocol/messages.ts";
import type { ServerOptions, ToolsetSettings } from "../../server/options.ts";
import { findSimilar } from "../../support/similar.ts";
import { UsageError } from "../../support/usage-error.ts";

/** Names every item, also those of toolsets with `default: false`. */
const ALL = "all";
/** Names the items that are shown if nobody names a toolset. */
const DEFAULT = "default";

/** The names that stand for several toolsets, and for items without one. */
export const GENERAL_NAMES: readonly string[] = [DEFAULT, ALL];
export const DEFAULT_NAMES: ReadonlySet<string> = new Set([DEFAULT]);

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const EXPECTED =
  'an array of names, which may contain *, or an object with "tools", such an array, and "default", a boolean';

interface Toolset {
  readonly patterns: readonly string[];
  readonly isOptional: boolean;
}

/** The toolsets of a server, and which items they contain. */
export class Toolsets {
  readonly #where: string;
  /** Undefined if the server does not declare its toolsets: then any item may name one. */
  readonly #declared: ReadonlyMap<string, Toolset> | undefined;
  readonly #ofItem = new WeakMap<Item, readonly string[]>();

  /** @throws {UsageError} for an invalid option. */
  constructor({ name, toolsets }: ServerOptions) {
    this.#where = `Server "${name}"`;
    this.#declared = toolsets === undefined ? undefined : readToolsets(toolsets, this.#where);
  }

  /** The names of the toolsets that contain an item. */
  of(item: Item): readonly string[] {
    const known = this.#ofItem.get(item);
    if (known !== undefined) return known;
    const names = new Set(item.toolset === undefined ? [] : [item.toolset]);
    for (const [name, { patterns }] of this.#declared ?? []) {
      if (patterns.some((pattern) => matchesItem(pattern, item))) names.add(name);
    }
    const found = [...names];
    this.#ofItem.set(item, found);
    return found;
  }

  /** The names of all toolsets: of the server, and of these items. */
  names(items: readonly Item[]): string[] {
    return [...new Set([...(this.#declared?.keys() ?? []), ...items.flatMap((item) => this.of(item))])];
  }

  /**
   * Whether toolsets with these names contain an item. A toolset with `default: false` must be named itself, also if
   * another one contains the item. Tools without a toolset are contained only by default: prompts and resources cost a
   * model nothing, so they stay.
   */
  contain(names: ReadonlySet<string>, item: Item): boolean {
    const own = this.of(item);
    if (!own.every((name) => this.#isKnown(name))) return false;
    if (names.has(ALL)) return true;
    const optional = own.filter((name) => this.#declared?.get(name)?.isOptional);
    if (optional.length > 0) return optional.some((name) => names.has(name));
    if (names.has(DEFAULT)) return true;
    return own.length === 0 ? item.kind !== "tool" : own.some((name) => names.has(name));
  }

  /** @throws {UsageError} for a pattern without items, or an item of an unknown toolset: a typing error would show it. */
  check(items: readonly Item[]): void {
    for (const [name, { patterns }] of this.#declared ?? []) {
      for (const pattern of patterns) checkMatches(pattern, items, `${this.#where}: the toolset "${name}" has`);
    }
    for (const { toolset, kind, name } of items) {
      if (toolset === undefined) continue;
      const subject = `${this.#where}: the toolset ${JSON.stringify(toolset)} of the ${kind} "${name}"`;
      if (typeof toolset !== "string" || !isName(toolset)) throw badName(subject);
      if (this.#isKnown(toolset)) continue;
      const hint = suggest(toolset, this.#declared?.keys() ?? [], "The toolsets are");
      throw new UsageError(`${subject} is not in the option toolsets. ${hint}`);
    }
  }

  #isKnown(name: string): boolean {
    return this.#declared === undefined || this.#declared.has(name);
  }
}

/** @throws {UsageError} if no item matches. `where` is the beginning of the message. */
export function checkMatches(pattern: string, items: readonly Item[], where: string): void {
  if (items.some((item) => matchesItem(pattern, item))) return;
  const hint = suggest(pattern, new Set(items.flatMap(namesOf)), "The names are");
  throw new UsageError(`${where} ${JSON.stringify(pattern)}, which no item matches. ${hint}`);
}

/** More names would not help the reader of the message. */
const MAX_SUGGESTED = 30;

/** A hint at the names that exist. */
export function suggest(name: string, names: Iterable<string>, begin: string): string {
  const all = [...names];
  const similar = findSimilar(name, all);
  if (similar !== undefined) return `Did you mean "${similar}"?`;
  if (all.length === 0) return "There are none.";
  const more = all.length > MAX_SUGGESTED ? ` and ${all.length - MAX_SUGGESTED} more` : "";
  return `${begin} ${all.slice(0, MAX_SUGGESTED).join(", ")}${more}.`;
}

function readToolsets(toolsets: NonNullable<ServerOptions["toolsets"]>, where: string): Map<string, Toolset> {
  if (!isObject(toolsets))
    throw new UsageError(`${where}: toolsets must be an object with a property for each toolset.`);
  return new Map(
    Object.entries(toolsets).map(([name, settings]) => {
      if (!isName(name)) throw badName(`${where}: the toolset ${JSON.stringify(name)}`);
      return [name, readToolset(settings, `${where}: toolsets.${name}`)];
    }),
  );
}

function readToolset(given: ToolsetSettings | readonly string[], where: string): Toolset {
  const settings: ToolsetSettings = isList(given) ? { tools: given } : given;
  const { tools = [], default: isDefault = true, ...others } = isObject(settings) ? settings : { none: settings };
  const isUsable = isList(tools) && tools.every((pattern) => typeof pattern === "string" && pattern !== "");
  if (!isUsable || typeof isDefault !== "boolean" || Object.keys(others).length > 0)
    throw new UsageError(`${where} must be ${EXPECTED}.`);
  return { patterns: tools, isOptional: !isDefault };
}

/** `Array.isArray` does not narrow readonly arrays. */
function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value);
}

function isName(name: string): boolean {
  return NAME.test(name) && !GENERAL_NAMES.includes(name);
}

function badName(subject: string): UsageError {
  return new UsageError(
    `${subject} has an invalid name. Use 1 to 64 of A-Z a-z 0-9 _ - and neither "all" nor "default".`,
    "bad_name",
  );
}

/** Whether a name matches a pattern, in which each `*` stands for any characters, also none. Never goes back in the name. */
export function matchesName(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  const end = name.length - last.length;
  if (end < first.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= end;
}

/** Whether an item has a name that matches. Earlier names count: a pattern must still match an item that was renamed. */
export function matchesItem(pattern: string, item: Item): boolean {
  return namesOf(item).some((name) => matchesName(pattern, name));
}

/** The name of an item and its earlier names. */
function namesOf(item: Item): readonly string[] {
  return "was" in item && item.was !== undefined ? [item.name, ...item.was] : [item.name];
}
