import { EXPANSIONS } from "./expression.ts";
import type { Plan } from "./plan.ts";
import type { Hole, Sequence } from "./sequence.ts";

/**
 * Writes down which URIs a plan describes, whatever its variables are called. A query that is not required decides
 * nothing: `a://{b}` and `a://{c}{?d}` have one shape.
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

/** How much a plan demands of a path: literal text and limits count for it, variables that span segments against it. */
export function toRank(plan: Plan): number {
  const { prefix, holes, suffix } = plan.path;
  let rank = prefix.length + suffix.length + plan.query.required;
  for (const { after, variable, wide } of holes) {
    rank += after.length;
    if (variable.prefix !== undefined) rank++;
    if (wide) rank--;
  }
  return rank;
}
