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
  /** Where its code throws an error whose message no client receives by default, in the file of its handler. */
  readonly throws: readonly Place[];
  /** Where it awaits something outside of a step before a question, so that the work is done again in each round. */
  readonly repeats: readonly Place[];
  /** It is defined without an output schema, and its handler returns an object or a list. */
  readonly returnsUntyped: boolean;
}
