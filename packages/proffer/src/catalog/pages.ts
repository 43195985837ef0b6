import type { Call } from "../calls/call.ts";
import { InvalidParams } from "../protocol/errors.ts";
import type { CacheHints } from "../protocol/model.ts";
import { type SerializedResult, serializeResult } from "../results/encode.ts";
import { whenReady } from "../support/async.ts";
import { sealerOf } from "../support/seal.ts";
import { badOption } from "../support/usage-error.ts";
import type { Item } from "./access.ts";
import type { Entry } from "./registry.ts";

/** Entries of a page, unless the server has another `pageSize`. */
export const DEFAULT_PAGE_SIZE = 1000;

/** Pages that are remembered. */
const MAX_PAGES = 1000;

/** A list that clients read page by page. */
export interface List<Listed extends Item> {
  /** The key of the result, such as "tools". */
  readonly name: string;
  entries(call: Call): readonly Entry<Listed>[];
  describe(item: Listed, call: Call): object;
}

/**
 * Returns the page of a fixed list that the call's cursor points at, serialized once for all clients of a revision. A
 * cursor holds the position of the last entry sent. Positions never change, so no entry is skipped or repeated while
 * others are added and removed.
 */
export function page<Listed extends Item>(
  call: Call,
  list: List<Listed>,
): SerializedResult | Promise<SerializedResult> {
  const { cursor } = call.params;
  const hints = listHints(call);
  if (cursor === undefined) return pageAfter(call, list, -1, hints);
  return whenReady(openPosition(call, list, cursor), (position) => {
    if (position !== undefined) return pageAfter(call, list, position, hints);
    throw badCursor();
  });
}

/** Returns the position in a cursor of the list, or undefined for an invalid cursor. */
export function openPosition<Listed extends Item>(
  call: Call,
  list: List<Listed>,
  cursor: unknown,
): number | undefined | Promise<number | undefined> {
  if (typeof cursor !== "string") return undefined;
  return whenReady(sealerOf(call.server).open("cursor", cursor, boundTo(call, list)), (position) =>
    position === undefined ? undefined : Number(position),
  );
}

/** Creates the error for a cursor that is forged, damaged, or of another list, server or caller. */
export function badCursor(): InvalidParams {
  return new InvalidParams("params.cursor is not a cursor of this list. Start again without one.");
}

/** Returns the page after a position, from the cache if it was serialized before. */
export function pageAfter<Listed extends Item>(
  call: Call,
  list: List<Listed>,
  position: number,
  hints: CacheHints,
): SerializedResult | Promise<SerializedResult> {
  const { server, revision } = call;
  const visible = server.access?.visibleSet(call, list);
  const { pages } = visible ?? server;
  const added = server.features.with("list").flatMap((feature) => feature.list(call, list.name) ?? []);
  let key = `${list.name} ${revision.version} ${position} ${hints.cacheScope} ${call.conversion?.key ?? ""}`;
  for (const each of added) key += ` ${each.key}`;
  const cached = pages.get(key);
  if (cached !== undefined) return cached;
  const own = visible?.entries ?? list.entries(call);
  const rest = after(position, [...own, ...added.flatMap(({ entries }) => entries as typeof own)]);
  const shown = rest.slice(0, server.pageSize);
  const last = shown.at(-1);
  const more = last !== undefined && shown.length < rest.length;
  const cursor = more ? sealerOf(server).seal("cursor", String(last.position), boundTo(call, list)) : undefined;
  return whenReady(cursor, (nextCursor) => {
    const items = shown.map((entry) => list.describe(entry.item, call));
    const result = { [list.name]: items, ...(nextCursor === undefined ? {} : { nextCursor }) };
    const serialized = serializeResult(server.envelopes, revision, result, hints);
    // Callers with different rights may get different entries of features.
    if (pages.size >= MAX_PAGES) pages.clear();
    pages.set(key, serialized);
    return serialized;
  });
}

/** The entries after a position that the caller sees. */
export function entriesAfter<Listed extends Item>(call: Call, list: List<Listed>, position: number): Entry<Listed>[] {
  return after(position, call.server.access?.visibleSet(call, list)?.entries ?? list.entries(call));
}

function after<Listed>(position: number, entries: readonly Entry<Listed>[]): Entry<Listed>[] {
  return entries.filter((entry) => entry.position > position);
}

/** A cursor is valid only for the list of the server that created it. */
function boundTo<Listed extends Item>(call: Call, list: List<Listed>): string {
  return JSON.stringify([call.server.info.name, list.name]);
}

/** @throws {UsageError} for hints that clients would reject. */
export function checkHints(hints: Partial<CacheHints>, where: string): void {
  const { ttlMs = 0, cacheScope = "private" } = hints;
  if (!Number.isInteger(ttlMs) || ttlMs < 0)
    throw badOption(where, "cache.ttlMs", "a whole number of milliseconds from 0", ttlMs);
  if (cacheScope !== "public" && cacheScope !== "private")
    throw badOption(where, "cache.cacheScope", '"public" or "private"', cacheScope);
}

/**
 * Returns the cache hints of a computed result: a result for an authenticated caller is private to that caller, one for a
 * query to the callers with that query, and one that depends on the client to clients like it.
 */
export function hintsFor(call: Call): CacheHints {
  const { hints, features } = call.server;
  const { principal, query } = call.origin;
  if (hints.cacheScope !== "public") return hints;
  const isPrivate = principal !== undefined || Boolean(query) || features.dependOnClient(call);
  return isPrivate ? { ...hints, cacheScope: "private" } : hints;
}

/** Returns the hints of a fixed list. Middleware may filter any page of it by caller, and all pages must agree. */
export function listHints(call: Call): CacheHints {
  const { middleware, hints, features } = call.server;
  const isFixed = middleware.length === 0 && !call.origin.query && !features.dependOnClient(call);
  return isFixed ? hints : hintsFor(call);
}
