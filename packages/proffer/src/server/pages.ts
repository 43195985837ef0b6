import { InvalidParams } from "../protocol/errors.ts";
import { after } from "./after.ts";
import type { Call } from "./call.ts";
import { prepare } from "./encode.ts";
import type { Prepared } from "./prepared.ts";
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
export function page<Item>(call: Call, list: List<Item>): Prepared | Promise<Prepared> {
  const { cursor } = call.params;
  if (cursor === undefined) return pageAfter(call, list, -1);
  const opened =
    typeof cursor === "string" ? call.server.sealer.open("cursor", cursor, boundTo(call, list)) : undefined;
  return after(opened, (position) => {
    if (position !== undefined) return pageAfter(call, list, Number(position));
    throw new InvalidParams("params.cursor is not a cursor that this list gave; start again without one.");
  });
}

function pageAfter<Item>(call: Call, list: List<Item>, position: number): Prepared | Promise<Prepared> {
  const { server, revision } = call;
  const key = `${list.name} ${revision.version} ${position}`;
  const known = server.pages.get(key);
  if (known !== undefined) return known;
  const rest = list.entries(call).filter((entry) => entry.position > position);
  const shown = rest.slice(0, server.pageSize);
  const last = shown.at(-1);
  const more = last !== undefined && shown.length < rest.length;
  const cursor = more ? server.sealer.seal("cursor", String(last.position), boundTo(call, list)) : undefined;
  return after(cursor, (nextCursor) => {
    const items = shown.map((entry) => list.describe(entry.item, call));
    const result = { [list.name]: items, ...(nextCursor === undefined ? {} : { nextCursor }) };
    const made = prepare(server, revision, result, server.hints);
    server.pages.set(key, made);
    return made;
  });
}

/** A cursor means something only to the list that gave it. */
function boundTo<Item>(call: Call, list: List<Item>): string {
  return JSON.stringify([call.server.info.name, list.name]);
}
