declare const INTEGER: unique symbol;

/** A whole number, for modules whose schemas are derived from their types: any number fits, `type: "integer"` is told. */
export type Integer = number & { readonly [INTEGER]?: never };
