import type { Meta, ResourceDescription } from "../protocol/model.ts";
import type { Context } from "../questions/context.ts";

/** A resource as a list yields it. */
export interface ListEntry extends Omit<ResourceDescription, "name"> {
  /** Default: the uri. */
  readonly name?: string;
  /** What the list is sorted by, if not by uri: texts in the order of their code units, or numbers. */
  readonly key?: string | number;
}

/** Where a list is to go on. */
export interface ListRequest {
  /** The key, or the uri, of the last entry that the client has. To ignore it is correct, but slow. */
  readonly after: string | number | undefined;
  /** What the list itself gave as `nextCursor`. */
  readonly cursor: string | undefined;
  /** How many entries there is room for. */
  readonly limit: number;
}

/** One page of a list that has cursors of its own. They travel sealed. */
export interface ListPage {
  readonly items: readonly ListEntry[];
  readonly nextCursor?: string | undefined;
  readonly _meta?: Meta;
}

export type ListEntries = Iterable<ListEntry> | AsyncIterable<ListEntry>;

/**
 * Lists the resources that a template stands for: as entries in ascending order, of which no more are taken than a page
 * holds, or as one page with the cursor of the next.
 */
export type ListFunction = (
  request: ListRequest,
  ctx: Context,
) => ListEntries | ListPage | Promise<ListEntries | ListPage>;
