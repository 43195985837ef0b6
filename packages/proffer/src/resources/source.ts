import { RpcError } from "../protocol/errors.ts";
import type { Meta, ResourceDescription } from "../protocol/model.ts";
import type { Context } from "../questions/context.ts";
import type { Resource } from "./define.ts";
import { forEachEntry } from "./entries.ts";
import type { ListEntries, ListEntry, ListPage } from "./list.ts";

/** Where to continue a source: after a key, or at the source's own cursor. */
export interface SourcePosition {
  readonly after?: string | number | undefined;
  readonly cursor?: string | undefined;
}

/** The entries read from a source for one page. */
export interface SourcePage {
  readonly items: readonly ResourceDescription[];
  /** Where to continue; undefined at the end of the source. */
  readonly next: SourcePosition | undefined;
  readonly _meta: Meta | undefined;
}

/** Reads up to `room` entries from a source, and one more to find out whether the source continues. */
export async function readEntries(
  resource: Resource,
  position: SourcePosition,
  room: number,
  ctx: Context,
): Promise<SourcePage> {
  const given = await resource.list?.({ after: position.after, cursor: position.cursor, limit: room }, ctx);
  if (isPage(given)) return usePage(resource, given, position, room);
  if (!isIterable(given))
    throw listError(resource, `list returned ${String(given)}; expected an iterable or { items }`);
  const page = new PageBuilder(resource, position.after, room);
  await forEachEntry(given, ctx, (entry) => page.add(entry));
  return page;
}

/** Collects entries in ascending order, after the last one the client has. */
class PageBuilder implements SourcePage {
  readonly items: ResourceDescription[] = [];
  next: SourcePosition | undefined;
  readonly _meta = undefined;
  readonly #resource: Resource;
  readonly #room: number;
  #last: string | number | undefined;

  constructor(resource: Resource, after: string | number | undefined, room: number) {
    this.#resource = resource;
    this.#last = after;
    this.#room = room;
  }

  /** Adds an entry; returns false if the page is full. */
  add(entry: ListEntry): boolean {
    const last = this.#last;
    const key = keyOf(this.#resource, entry);
    if (last !== undefined && compare(this.#resource, key, last) <= 0) {
      // A list that ignores `after` starts with entries the client already has: skip them.
      if (this.items.length === 0) return true;
      throw listError(this.#resource, `list yielded ${key} after ${last}; sort the entries, or set a key on each`);
    }
    if (this.items.length === this.#room) {
      this.next = { after: last };
      return false;
    }
    this.items.push(describe(this.#resource, entry));
    this.#last = key;
    return true;
  }
}

/** Uses a page completely or not at all, because its cursor points after its last item. */
function usePage(resource: Resource, given: ListPage, position: SourcePosition, room: number): SourcePage {
  if (room === 0 && given.items.length > 0) return { items: [], next: position, _meta: undefined };
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
  return {
    uri,
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(size === undefined ? {} : { size }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(icons === undefined ? {} : { icons }),
    ...(_meta === undefined ? {} : { _meta }),
  };
}

function listError(resource: Resource, problem: string): RpcError {
  return new RpcError("internal_error", `Failed to list the resources of ${resource.uri}.`, {
    cause: new TypeError(`Resource ${resource.uri}: ${problem}.`),
  });
}
