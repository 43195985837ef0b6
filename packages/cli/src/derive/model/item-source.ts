/** A place in the author's code. Line and column start at 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The code of a tool, a prompt or a resource. */
export interface ItemSource extends Place {
  readonly kind: "tool" | "prompt" | "resource";
  /** The name, or the URI of a resource. */
  readonly key: string;
}
