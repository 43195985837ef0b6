/** A reason why one schema accepts a value that another refuses. */
export interface Gap {
  /** The place in the value: names of properties, and `[]` for the items of a list. */
  readonly path: readonly string[];
  /** The keyword that refuses the value. */
  readonly keyword: string;
  /** The smaller set: what the first schema says there. */
  readonly from: unknown;
  /** What the other schema says there. */
  readonly to: unknown;
  /** Only values with properties that the first schema does not declare are refused. */
  readonly isUndeclared: boolean;
}

/** The gap of a comparison that would take too long. */
export function tooHard(path: readonly string[]): Gap {
  return { path, keyword: "size", from: undefined, to: undefined, isUndeclared: false };
}

export const NO_GAPS: readonly Gap[] = [];

export function gap(path: readonly string[], keyword: string, from: unknown, to: unknown): Gap {
  return { path, keyword, from, to, isUndeclared: false };
}

/** Prefers the alternative that is nearest: one of the same type, with few gaps. */
export function weigh(gaps: readonly Gap[], path: readonly string[]): number {
  const isOther = ({ keyword, path: at }: Gap) =>
    (keyword === "type" || keyword === "enum") && at.length === path.length;
  const hard = gaps.filter(({ isUndeclared }) => !isUndeclared).length;
  return (gaps.some(isOther) ? 1_000_000 : 0) + hard * 1000 + gaps.length;
}

/** Drops gaps that say the same. */
export function distinct(gaps: readonly Gap[]): readonly Gap[] {
  const known = new Map(gaps.map((each) => [JSON.stringify([each.path, each.keyword, each.to]), each]));
  return [...known.values()];
}
