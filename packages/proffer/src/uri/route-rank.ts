import { EXPANSIONS } from "./expression.ts";
import type { Plan } from "./plan.ts";
import type { Hole, Sequence } from "./sequence.ts";

/**
 * Returns a text that is equal for plans that match the same URIs, regardless of the names of their variables. Optional
 * query keys do not count: `a://{b}` and `a://{c}{?d}` have the same shape.
 */
export function toShape(plan: Plan): string {
  const pairs = plan.query.list
    .filter((pair) => pair.required)
    .map((pair) => `${pair.key}=${pair.variable ? "{}" : pair.fixed}`);
  const query = pairs.length === 0 ? "" : `?${pairs.sort().join("&")}`;
  if (plan.fragment === undefined) return sequenceShape(plan.path) + query;
  return `${sequenceShape(plan.path)}${query}${plan.fragmentOptional ? "" : "#"}${sequenceShape(plan.fragment)}`;
}

function sequenceShape(sequence: Sequence): string {
  return sequence.prefix + sequence.holes.map((hole) => holeShape(hole) + hole.after).join("") + sequence.suffix;
}

function holeShape({ variable }: Hole): string {
  if (EXPANSIONS[variable.operator].named) return `{${variable.operator}}`;
  const modifier = variable.explode ? "*" : variable.prefix === undefined ? "" : `:${variable.prefix}`;
  return `{${variable.operator}${modifier}}`;
}

/** Returns how specific a plan is: literal text and limits raise the rank, variables that span segments lower it. */
export function toRank(plan: Plan): number {
  const { prefix, holes, suffix } = plan.path;
  let rank = prefix.length + suffix.length + plan.query.required;
  for (const { after, variable, spansSegments } of holes) {
    rank += after.length;
    if (variable.prefix !== undefined) rank++;
    if (spansSegments) rank--;
  }
  return rank;
}
