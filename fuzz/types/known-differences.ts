import { elementsOf, forEachType, type TypeCase, type TypeTree } from "./type-tree.ts";

/**
 * A fault of derivation that is known and not fixed yet. Types with it are not compared. This list should be empty:
 * remove an entry with the fix of its fault, and the comparison begins.
 */
export interface KnownDifference {
  readonly fault: string;
  readonly side: "input" | "output";
  has(tree: TypeTree): boolean;
}

const KNOWN_DIFFERENCES: readonly KnownDifference[] = (["input", "output"] as const).map((side) => ({
  fault: "The elements of a tuple after its rest element may be in any order. JSON Schema cannot say it; PF2020 warns.",
  side,
  has: (tree: TypeTree) => tree.kind === "tuple" && elementsOf(tree).last.length > 0,
}));

/** Whether a side of a case has a known difference. */
export function isKnown(given: TypeCase, side: "input" | "output"): boolean {
  let isFound = false;
  forEachType(given, (tree) => {
    isFound ||= KNOWN_DIFFERENCES.some((known) => known.side === side && known.has(tree));
  });
  return isFound;
}
