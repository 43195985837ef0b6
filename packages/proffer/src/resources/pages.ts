import type { Call } from "../calls/call.ts";
import { badCursor, entriesAfter, hintsFor, type List, openPosition, pageAfter } from "../catalog/pages.ts";
import type { Entry } from "../catalog/registry.ts";
import { RpcError } from "../protocol/errors.ts";
import type { Meta, ResourceDescription } from "../protocol/model.ts";
import { convert } from "../protocol/revisions/revision.ts";
import { CallContext, type Context } from "../questions/context.ts";
import { defined } from "../support/objects.ts";
import { sealerOf } from "../support/seal.ts";
import type { Resource } from "./define.ts";
import { forEachEntry, type ListEntries, type ListEntry, type ListPage } from "./list.ts";

/** Where to continue the combined list of all sources. */
interface ListPosition extends SourcePosition {
  /** The registration position of the source. */
  readonly source: number;
}

/**
 * Returns a page of a partly computed list: fixed resources first, then the entries of each source. Computed entries
 * may depend on the caller, so their cursors are bound to the caller and their pages are not shared between callers.
 */
export async function lazyPage(
  call: Call,
  fixed: List<Resource>,
  sources: readonly Entry<Resource>[],
): Promise<object> {
  const { cursor } = call.params;
  const hints = hintsFor(call);
  call.cacheHints = hints;
  const position = cursor === undefined ? -1 : await openPosition(call, fixed, cursor);
  if (position === undefined) return pageFrom(call, [], sources, await openListPosition(call, cursor));
  const rest = entriesAfter(call, fixed, position);
  if (rest.length > call.server.pageSize) return pageAfter(call, fixed, position, hints);
  const items = rest.map((entry) => fixed.describe(entry.item, call));
  return pageFrom(call, items, sources, { source: -1 });
}

async function pageFrom(
  call: Call,
  items: object[],
  sources: readonly Entry<Resource>[],
  from: ListPosition,
): Promise<object> {
  const ctx = new CallContext(call);
  let _meta: Meta | undefined;
  let next: ListPosition | undefined;
  for (const { item: resource, position } of sources) {
    if (position < from.source) continue;
    const start = position === from.source ? from : {};
    const taken = await readEntries(resource, start, Math.max(0, call.server.pageSize - items.length), ctx);
    for (const entry of taken.items) items.push(convert(call.revision, "resource", entry as ResourceDescription));
    if (taken._meta !== undefined) _meta = { ..._meta, ...taken._meta };
    if (taken.next === undefined) continue;
    next = { source: position, ...taken.next };
    break;
  }
  const nextCursor = next && (await sealerOf(call.server).seal("cursor", JSON.stringify(next), boundTo(call)));
  return defined({ resources: items, nextCursor, _meta });
}

async function openListPosition(call: Call, cursor: unknown): Promise<ListPosition> {
  const text =
    typeof cursor === "string" ? await sealerOf(call.server).open("cursor", cursor, boundTo(call)) : undefined;
  if (text === undefined) throw badCursor();
  return JSON.parse(text) as ListPosition;
}

function boundTo(call: Call): string {
  return JSON.stringify([call.server.info.name, "resources", "sources", call.origin.principal?.id ?? null]);
}

/** Where to continue a source: after a key, or at the source's own cursor. */
interface SourcePosition {
  readonly after?: string | number | undefined;
  readonly cursor?: string | undefined;
}

/** The entries read from a source for one page. */
interface SourcePage {
  readonly items: readonly ResourceDescription[];
  /** Where to continue; undefined at the end of the source. */
  readonly next: SourcePosition | undefined;
  readonly _meta?: Meta | undefined;
}

/** Reads up to `room` entries from a source, and one more to find out whether the source continues. */
async function readEntries(
  resource: Resource,
  position: SourcePosition,
  room: number,
  ctx: Context,
): Promise<SourcePage> {
  const given = await resource.list?.({ after: position.after, cursor: position.cursor, limit: room }, ctx);
  if (isPage(given)) return usePage(resource, given, position, room);
  if (!isIterable(given))
    throw listError(resource, `list returned ${String(given)}; expected an iterable or { items }`);
  const items: ResourceDescription[] = [];
  /** The last entry that the client has: the next ones must be in ascending order after it. */
  let last = position.after;
  let next: SourcePosition | undefined;
  await forEachEntry(given, ctx, (entry) => {
    const key = keyOf(resource, entry);
    if (last !== undefined && compare(resource, key, last) <= 0) {
      // A list that ignores `after` starts with entries the client already has: skip them.
      if (items.length === 0) return true;
      throw listError(resource, `list yielded ${key} after ${last}; sort the entries, or set a key on each`);
    }
    if (items.length === room) {
      next = { after: last };
      return false;
    }
    items.push(describe(resource, entry));
    last = key;
    return true;
  });
  return { items, next };
}

/** Uses a page completely or not at all, because its cursor points after its last item. */
function usePage(resource: Resource, given: ListPage, position: SourcePosition, room: number): SourcePage {
  if (room === 0 && given.items.length > 0) return { items: [], next: position };
  const { nextCursor } = given;
  if (nextCursor !== undefined && typeof nextCursor !== "string") {
    throw listError(resource, "list returned a nextCursor that is not a string");
  }
  return {
    items: given.items.map((entry) => describe(resource, entry)),
    next: nextCursor === undefined ? undefined : { cursor: nextCursor },
    _meta: given._meta,
  };
}

function isPage(given: unknown): given is ListPage {
  return typeof given === "object" && given !== null && Array.isArray((given as { items?: unknown }).items);
}

function isIterable(given: unknown): given is ListEntries {
  return typeof given === "object" && given !== null && (Symbol.iterator in given || Symbol.asyncIterator in given);
}

function keyOf(resource: Resource, entry: ListEntry): string | number {
  const key = entry?.key ?? entry?.uri;
  if (typeof key === "string" || typeof key === "number") return key;
  throw listError(resource, "list yielded an entry without a uri");
}

function compare(resource: Resource, left: string | number, right: string | number): number {
  if (typeof left !== typeof right) throw listError(resource, `list yielded keys of two types, ${left} and ${right}`);
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Converts an entry to a description: only the known properties, whatever else the author's object has. */
function describe(resource: Resource, entry: ListEntry): ResourceDescription {
  const { uri, name = uri, title, description, mimeType = resource.mimeType, size, annotations, icons, _meta } = entry;
  if (typeof uri !== "string" || uri === "") throw listError(resource, "list yielded an entry without a uri");
  return defined({ uri, name, title, description, mimeType, size, annotations, icons, _meta });
}

function listError(resource: Resource, problem: string): RpcError {
  return new RpcError("internal_error", `Failed to list the resources of ${resource.uri}.`, {
    cause: new TypeError(`Resource ${resource.uri}: ${problem}.`),
  });
}
