import type { Meta, ResourceDescription } from "../protocol/model.ts";
import type { Context } from "../questions/context.ts";

/** A resource as returned by a list function. */
export interface ListEntry extends Omit<ResourceDescription, "name"> {
  /** Default: the uri. */
  readonly name?: string;
  /** Sort key: a number, or a string compared by code units. Default: the uri. */
  readonly key?: string | number;
}

/** Where the next page of a list starts. */
export interface ListRequest {
  /** The key (or the uri) of the last entry the client received. Ignoring it is correct, but slow. */
  readonly after: string | number | undefined;
  /** The `nextCursor` that this list function returned with the previous page. */
  readonly cursor: string | undefined;
  /** The number of entries that fit on the page. */
  readonly limit: number;
}

/** One page of a list with its own cursors. Cursors are encrypted before they are sent to the client. */
export interface ListPage {
  readonly items: readonly ListEntry[];
  readonly nextCursor?: string | undefined;
  readonly _meta?: Meta;
}

export type ListEntries = Iterable<ListEntry> | AsyncIterable<ListEntry>;

/**
 * Lists the resources of a template. Returns either entries in ascending order, which are read only until the page is
 * full, or one page with the cursor of the next.
 */
export type ListFunction = (
  request: ListRequest,
  ctx: Context,
) => ListEntries | ListPage | Promise<ListEntries | ListPage>;
