import { RpcError } from "../protocol/errors.ts";
import type { Meta, ResourceDescription } from "../protocol/model.ts";
import type { Context } from "../questions/context.ts";
import type { Resource } from "./define.ts";
import type { ListEntries, ListEntry, ListPage } from "./list.ts";

/** Where a source goes on: behind a key, or at a cursor of its own. */
export interface SourcePlace {
  readonly after?: string | number | undefined;
  readonly cursor?: string | undefined;
}

/** What was taken from a source. */
export interface Taken {
  readonly items: readonly ResourceDescription[];
  /** Where it goes on; undefined at its end. */
  readonly next: SourcePlace | undefined;
  readonly _meta: Meta | undefined;
}

/** Takes as many entries from a source as there is room for, and looks whether there is another. */
export async function readEntries(resource: Resource, place: SourcePlace, room: number, ctx: Context): Promise<Taken> {
  const given = await resource.list?.({ after: place.after, cursor: place.cursor, limit: room }, ctx);
  if (isPage(given)) return takePage(resource, given, place, room);
  if (!isIterable(given)) throw unusable(resource, `its list returned ${String(given)}, which has no entries`);
  const page = new Page(resource, place.after, room);
  if (Symbol.asyncIterator in given) {
    for await (const entry of given) if (!page.take(entry)) break;
  } else {
    // To wait for each of a thousand entries that are there takes longer than to make them.
    for (const entry of given) if (!page.take(entry instanceof Promise ? await entry : entry)) break;
  }
  return page;
}

/** Entries in ascending order, behind the last that the client has. */
class Page implements Taken {
  readonly items: ResourceDescription[] = [];
  next: SourcePlace | undefined;
  readonly _meta = undefined;
  readonly #resource: Resource;
  readonly #room: number;
  #last: string | number | undefined;

  constructor(resource: Resource, after: string | number | undefined, room: number) {
    this.#resource = resource;
    this.#last = after;
    this.#room = room;
  }

  /** Takes one more, or says that there is no room for it. */
  take(entry: ListEntry): boolean {
    const last = this.#last;
    const key = keyOf(this.#resource, entry);
    if (last !== undefined && compare(this.#resource, key, last) <= 0) {
      // A list that does not seek begins with what the client has already.
      if (this.items.length === 0) return true;
      throw unusable(this.#resource, `its list yields ${key} after ${last}; sort it, or give each entry a key`);
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

/** A page is taken whole, or not at all: its cursor stands behind all of its items. */
function takePage(resource: Resource, given: ListPage, place: SourcePlace, room: number): Taken {
  if (room === 0 && given.items.length > 0) return { items: [], next: place, _meta: undefined };
  const { nextCursor } = given;
  if (nextCursor !== undefined && typeof nextCursor !== "string") {
    throw unusable(resource, "the nextCursor of its list is not a text");
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
  throw unusable(resource, "its list yields an entry without a uri");
}

function compare(resource: Resource, left: string | number, right: string | number): number {
  if (typeof left !== typeof right)
    throw unusable(resource, `its list is sorted by ${left} and ${right}, of two types`);
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** The entry as clients get it: only what a description has, whatever else the author's object holds. */
function describe(resource: Resource, entry: ListEntry): ResourceDescription {
  const { uri, name = uri, title, description, mimeType = resource.mimeType, size, annotations, icons, _meta } = entry;
  if (typeof uri !== "string" || uri === "") throw unusable(resource, "its list yields an entry without a uri");
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

function unusable(resource: Resource, problem: string): RpcError {
  return new RpcError("internal_error", `The list of ${resource.uri} cannot be read.`, {
    cause: new TypeError(`Resource ${resource.uri}: ${problem}.`),
  });
}
