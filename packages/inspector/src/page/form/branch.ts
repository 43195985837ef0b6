import type { Json } from "../../protocol/json.ts";
import type { Field, UnionShape } from "./field.ts";
import { fits } from "./fits.ts";
import { childrenOf, hiddenMembers } from "./members.ts";
import { isObject, memberOf } from "./path.ts";
import { isEqual } from "./read-schema.ts";

/** Returns the alternative that a value most likely is; undefined if it is none, or if its tag is missing. */
export function branchOf(union: UnionShape, value: Json | undefined): number | undefined {
  const { branches, tag } = union;
  if (value === undefined) return undefined;
  if (tag !== undefined && isObject(value)) {
    const found = tag.values.findIndex((other) => isEqual(other, memberOf(value, tag.name)));
    return found === -1 ? undefined : found;
  }
  let best: number | undefined;
  let bestScore = MISFIT;
  for (const [index, branch] of branches.entries()) {
    const score = scoreOf(branch.field(), value, MAX_DEPTH);
    if (score > bestScore) [best, bestScore] = [index, score];
  }
  return best;
}

const MISFIT = -1_000_000;
const MAX_DEPTH = 3;
const MAX_CHILDREN = 100;

function scoreOf(field: Field, value: Json, depth: number): number {
  if (!fits(field, value)) return MISFIT;
  if (depth === 0) return 0;
  if (field.kind === "choice") return 5;
  if (field.kind === "union")
    return Math.max(...field.branches.map((branch) => scoreOf(branch.field(), value, depth - 1)));
  // A word in a number fits only so that it can be typed.
  if (field.kind === "json" || (field.kind === "number" && typeof value === "string")) return -100;
  let score = 1;
  const children = childrenOf(field, value).slice(0, MAX_CHILDREN);
  // A member that does not fit speaks against an alternative, but does not rule it out.
  for (const [step, child] of children)
    score += Math.max(scoreOf(child, memberOf(value, step) ?? null, depth - 1), -20);
  const known = new Set(children.map(([step]) => step));
  const missing =
    field.kind === "object" ? field.properties.filter(({ name, required }) => required && !known.has(name)) : [];
  return score - 2 * missing.length - 3 * hiddenMembers(field, value).length;
}
