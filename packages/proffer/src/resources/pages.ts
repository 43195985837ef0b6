import type { Call } from "../calls/call.ts";
import { hintsFor } from "../catalog/cache-hints.ts";
import { badCursor, entriesAfter, type List, openPosition, pageAfter } from "../catalog/pages.ts";
import type { Entry } from "../catalog/registry.ts";
import type { Meta, ResourceDescription } from "../protocol/model.ts";
import { convert } from "../protocol/revisions/revision.ts";
import { CallContext } from "../questions/context.ts";
import { sealerOf } from "../support/seal.ts";
import type { Resource } from "./define.ts";
import { readEntries, type SourcePosition } from "./source.ts";

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
  return {
    resources: items,
    ...(nextCursor === undefined ? {} : { nextCursor }),
    ...(_meta === undefined ? {} : { _meta }),
  };
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
