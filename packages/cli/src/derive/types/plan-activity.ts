import type { Plan } from "proffer/derived";
import type { Definition } from "../model/conversion.ts";
import { plansIn } from "./plan-part.ts";

/** Plans that only lead to others; any other plan converts values. */
const CONTAINERS: ReadonlySet<Plan["kind"]> = new Set(["array", "tuple", "object", "union", "ref"]);

/** Returns a function that says whether a plan contains a value that needs conversion. Visits each plan once. */
export function findActive(
  root: Plan | undefined,
  definitions: ReadonlyMap<string, Definition>,
): (plan: Plan | undefined) => boolean {
  const active = new Set<Plan>();
  const holders = new Map<Plan, Plan[]>();
  const visited = new Set<Plan>(root ? [root] : []);
  // The set grows while it is read.
  for (const plan of visited) {
    if (!CONTAINERS.has(plan.kind)) active.add(plan);
    const target = plan.kind === "ref" ? definitions.get(plan.name)?.plan : undefined;
    for (const inner of target ? [target] : plansIn(plan)) {
      const known = holders.get(inner);
      if (known) known.push(plan);
      else holders.set(inner, [plan]);
      visited.add(inner);
    }
  }
  for (const plan of active) for (const holder of holders.get(plan) ?? []) active.add(holder);
  return (plan) => plan !== undefined && active.has(plan);
}
