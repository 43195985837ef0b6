import type { Json } from "../../protocol/json.ts";
import type { Field, UnionShape } from "./field.ts";
import { fits } from "./fits.ts";
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

function scoreOf(field: Field, value: Json, depth: number): number {
  if (!fits(field, value)) return MISFIT;
  if (depth === 0) return 0;
  switch (field.kind) {
    case "choice":
      return 5;
    case "number":
      return typeof value === "number" ? 1 : -100;
    case "array": {
      const item = Array.isArray(value) ? value[0] : undefined;
      const of = field.prefix[0] ?? field.items;
      return item === undefined || of === undefined ? 1 : 1 + limit(scoreOf(of(), item, depth - 1));
    }
    case "object":
      return scoreObject(field, value, depth);
    case "union":
      return Math.max(...field.branches.map((branch) => scoreOf(branch.field(), value, depth - 1)));
    case "json":
      return -1;
    default:
      return 1;
  }
}

function scoreObject(field: Extract<Field, { kind: "object" }>, value: Json, depth: number): number {
  let score = 0;
  let known = 0;
  for (const property of field.properties) {
    const member = memberOf(value, property.name);
    if (member === undefined) score -= property.required ? 2 : 0;
    else {
      known++;
      score += limit(scoreOf(property.field(), member, depth - 1));
    }
  }
  const others = isObject(value) ? Object.keys(value).length - known : 0;
  return score - (field.extra === undefined ? 3 * others : 0);
}

/** A member that does not fit speaks against an alternative, but does not rule it out. */
function limit(score: number): number {
  return Math.max(score, -20);
}
