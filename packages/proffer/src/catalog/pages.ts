import type { Call } from "../calls/call.ts";
import { InvalidParams } from "../protocol/errors.ts";
import type { CacheHints } from "../protocol/model.ts";
import { serializeResult } from "../results/encode.ts";
import type { SerializedResult } from "../results/serialized.ts";
import { whenReady } from "../support/when-ready.ts";
import type { Entry } from "./registry.ts";

/** One of the lists that clients page through. */
export interface List<Item> {
  /** The key of the result, such as "tools". */
  readonly name: string;
  entries(call: Call): readonly Entry<Item>[];
  describe(item: Item, call: Call): object;
}

/**
 * The page of a fixed list that the call's cursor points at, serialised once for all clients of a revision. A cursor
 * says after which position to go on; positions never change, so that no entry is skipped or shown twice while others
 * come and go.
 */
export function page<Item>(call: Call, list: List<Item>): SerializedResult | Promise<SerializedResult> {
  const { cursor } = call.params;
  if (cursor === undefined) return pageAfter(call, list, -1);
  return whenReady(openPosition(call, list, cursor), (position) => {
    if (position !== undefined) return pageAfter(call, list, position);
    throw badCursor();
  });
}

/** The position that a cursor of the list stands for; undefined for anything else. */
export function openPosition<Item>(
  call: Call,
  list: List<Item>,
  cursor: unknown,
): number | undefined | Promise<number | undefined> {
  if (typeof cursor !== "string") return undefined;
  return whenReady(call.server.sealer.open("cursor", cursor, boundTo(call, list)), (position) =>
    position === undefined ? undefined : Number(position),
  );
}

/** The refusal of a cursor that is forged, damaged, or of another list, server or caller. */
export function badCursor(): InvalidParams {
  return new InvalidParams("params.cursor is not a cursor that this list gave; start again without one.");
}

/** The page behind a position, from what was serialised before if it was. */
export function pageAfter<Item>(
  call: Call,
  list: List<Item>,
  position: number,
  hints: CacheHints = call.server.hints,
): SerializedResult | Promise<SerializedResult> {
  const { server, revision } = call;
  const key = `${list.name} ${revision.version} ${position} ${hints.cacheScope}`;
  const known = server.pages.get(key);
  if (known !== undefined) return known;
  const rest = entriesAfter(call, list, position);
  const shown = rest.slice(0, server.pageSize);
  const last = shown.at(-1);
  const more = last !== undefined && shown.length < rest.length;
  const cursor = more ? server.sealer.seal("cursor", String(last.position), boundTo(call, list)) : undefined;
  return whenReady(cursor, (nextCursor) => {
    const items = shown.map((entry) => list.describe(entry.item, call));
    const result = { [list.name]: items, ...(nextCursor === undefined ? {} : { nextCursor }) };
    const made = serializeResult(server, revision, result, hints);
    server.pages.set(key, made);
    return made;
  });
}

export function entriesAfter<Item>(call: Call, list: List<Item>, position: number): Entry<Item>[] {
  return list.entries(call).filter((entry) => entry.position > position);
}

/** A cursor means something only to the list that gave it. */
function boundTo<Item>(call: Call, list: List<Item>): string {
  return JSON.stringify([call.server.info.name, list.name]);
}
