import { elementsOf, forEachType, isUnknown, membersIn, type TypeCase, type TypeTree } from "./type-tree.ts";

/**
 * A fault of derivation that is known and not fixed yet. Types with it are not compared. This list should be empty:
 * remove an entry with the fix of its fault, and the comparison begins.
 */
export interface KnownDifference {
  readonly fault: string;
  readonly side: "input" | "output";
  has(tree: TypeTree): boolean;
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    fault: "An undefined element of a result is validated before it is null.",
    side: "output",
    has: (tree) => (tree.kind === "array" && tree.orUndefined) || (tree.kind === "tuple" && tree.optional.length > 0),
  },
  {
    fault: "A Set of equal objects is a result whose array has duplicates, which uniqueItems refuses.",
    side: "output",
    has: (tree) => tree.kind === "set" && !UNIQUE.has(tree.of.kind),
  },
  {
    fault: "A required property of type unknown that is undefined in a result is missing in JSON.",
    side: "output",
    has: (tree) => membersIn(tree).some(({ of }) => isUnknown(of)),
  },
  {
    fault: "A bigint, a Map or a Set in an unknown part of a result is not encoded.",
    side: "output",
    has: (tree) =>
      (tree.kind === "union" && isUnknown(tree)) ||
      (tree.kind === "indexed" && [tree.of, ...tree.members.map(({ of }) => of)].some(isUnknown)),
  },
  ...(["input", "output"] as const).map((side) => ({
    fault: "The elements of a tuple after its rest element may be in any order.",
    side,
    has: (tree: TypeTree) => tree.kind === "tuple" && elementsOf(tree).last.length > 0,
  })),
];

/** The types whose values are equal in a Set if they are equal in JSON. */
const UNIQUE: ReadonlySet<TypeTree["kind"]> = new Set<TypeTree["kind"]>([
  ...([
    "string",
    "number",
    "boolean",
    "null",
    "bigint",
    "literal",
    "template",
    "level",
    "color",
    "port",
    "name",
  ] as const),
]);

/** Whether a side of a case has a known difference. */
export function isKnown(given: TypeCase, side: "input" | "output"): boolean {
  let isFound = false;
  forEachType(given, (tree) => {
    isFound ||= KNOWN_DIFFERENCES.some((known) => known.side === side && known.has(tree));
  });
  return isFound;
}
