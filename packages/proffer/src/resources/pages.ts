import type { Call } from "../calls/call.ts";
import { badCursor, entriesAfter, type List, openPosition, pageAfter } from "../catalog/pages.ts";
import type { Entry } from "../catalog/registry.ts";
import type { CacheHints, Meta, ResourceDescription } from "../protocol/model.ts";
import { convert } from "../protocol/revisions/revision.ts";
import { CallContext } from "../questions/context.ts";
import type { Resource } from "./define.ts";
import { readEntries, type SourcePlace } from "./source.ts";

/** Where the list of all sources goes on. */
interface Place extends SourcePlace {
  /** The position of the source. */
  readonly source: number;
}

/**
 * A page of a list that is partly computed: fixed resources come first, then what each source yields. What is computed
 * may depend on who asks, so its cursors are bound to the caller, and nobody else may keep its pages.
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
  if (position === undefined) return pageFrom(call, [], sources, await openPlace(call, cursor));
  const rest = entriesAfter(call, fixed, position);
  if (rest.length > call.server.pageSize) return pageAfter(call, fixed, position, hints);
  const items = rest.map((entry) => fixed.describe(entry.item, call));
  return pageFrom(call, items, sources, { source: -1 });
}

async function pageFrom(
  call: Call,
  items: object[],
  sources: readonly Entry<Resource>[],
  place: Place,
): Promise<object> {
  const ctx = new CallContext(call);
  let _meta: Meta | undefined;
  let next: Place | undefined;
  for (const { item: resource, position } of sources) {
    if (position < place.source) continue;
    const start = position === place.source ? place : {};
    const taken = await readEntries(resource, start, Math.max(0, call.server.pageSize - items.length), ctx);
    for (const entry of taken.items) items.push(convert(call.revision, "resource", entry as ResourceDescription));
    if (taken._meta !== undefined) _meta = { ..._meta, ...taken._meta };
    if (taken.next === undefined) continue;
    next = { source: position, ...taken.next };
    break;
  }
  const nextCursor = next && (await call.server.sealer.seal("cursor", JSON.stringify(next), boundTo(call)));
  return {
    resources: items,
    ...(nextCursor === undefined ? {} : { nextCursor }),
    ...(_meta === undefined ? {} : { _meta }),
  };
}

async function openPlace(call: Call, cursor: unknown): Promise<Place> {
  const text = typeof cursor === "string" ? await call.server.sealer.open("cursor", cursor, boundTo(call)) : undefined;
  if (text === undefined) throw badCursor();
  return JSON.parse(text) as Place;
}

/** What a computed answer may be kept for: what was made for one caller is nobody else's. */
export function hintsFor(call: Call): CacheHints {
  const { hints } = call.server;
  const isShared = hints.cacheScope === "public" && call.origin.principal !== undefined;
  return isShared ? { ...hints, cacheScope: "private" } : hints;
}

function boundTo(call: Call): string {
  return JSON.stringify([call.server.info.name, "resources", "sources", call.origin.principal?.id ?? null]);
}
