import type { ItemSource, Place } from "./item-source.ts";

/** Some lines of an author's file, from its line and column on. */
export interface SourceRange extends Place {
  /** The last line. */
  readonly endLine: number;
}

/** Where the parts of an item come from. */
export interface ItemPositions {
  readonly kind: ItemSource["kind"];
  /** The name, or the URI of a resource. */
  readonly key: string;
  /** By JSON pointer into the description of the item, such as `/inputSchema/properties/zip`; "" is the item itself. */
  readonly places: readonly { readonly pointer: string; readonly range: SourceRange }[];
  /** The code of the item, then the declarations of its types. */
  readonly pieces: readonly SourceRange[];
}
