/** How an item names its toolset, as the author writes it. */
export interface ToolsetOption {
  /** The toolset of the item, which whoever starts the server can choose: see `toolsets` of `defineServer`. */
  readonly toolset?: string;
}

/** The toolset that an item names itself; patterns of the server may add it to others. */
export interface Grouped {
  readonly toolset: string | undefined;
}
