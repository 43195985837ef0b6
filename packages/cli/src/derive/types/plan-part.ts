import type { Codec, Plan } from "proffer/derived";
import { findShared, type Part } from "./sharing.ts";

/** The bytes that sharing a plan must save. Plans are not sent to clients, so a reference costs nothing else. */
const WORTH = 1024;

interface PlanPart extends Part<PlanPart> {
  readonly plan: Plan;
}

/** Returns the plans directly within a plan. */
export function plansIn(plan: Plan): Plan[] {
  const inner: Plan[] = [];
  mapPlans(plan, (own) => {
    inner.push(own);
    return own;
  });
  return inner;
}

/** Returns a codec in which large plans that occur more than once are written once. */
export function sharePlans(plan: Plan, defs: Readonly<Record<string, Plan>>): Codec {
  const known = new Map<Plan, PlanPart>();
  function partOf(own: Plan): PlanPart {
    let part = known.get(own);
    if (part === undefined) {
      const bytes = JSON.stringify(mapPlans(own, () => ({ kind: "ref", name: "" }))).length;
      part = { plan: own, parts: plansIn(own).map(partOf), bytes, isNamed: false, worth: WORTH };
      known.set(own, part);
    }
    return part;
  }
  const roots = [plan, ...Object.values(defs)];
  const root: PlanPart = { plan, parts: roots.map(partOf), bytes: 0, isNamed: false, worth: undefined };
  const shared = new Map([...findShared(root)].map((part, index) => [part.plan, `#${index + 1}`]));

  function write(own: Plan): Plan {
    return mapPlans(own, (inner) => {
      const name = shared.get(inner);
      return name === undefined ? write(inner) : { kind: "ref", name };
    });
  }

  const all = [...Object.entries(defs), ...[...shared].map(([own, name]) => [name, own] as const)];
  const written = all.map(([name, own]) => [name, write(own)] as const);
  return { plan: write(plan), ...(written.length > 0 && { defs: Object.fromEntries(written) }) };
}

/** Returns a copy of a plan whose direct parts are replaced by `change`. */
function mapPlans(plan: Plan, change: (inner: Plan) => Plan): Plan {
  switch (plan.kind) {
    case "array":
      return { ...plan, items: change(plan.items) };
    case "tuple":
      return {
        ...plan,
        items: plan.items.map((item) => item && change(item)),
        ...(plan.rest && { rest: change(plan.rest) }),
      };
    case "object": {
      const { properties, rest } = plan;
      const changed = Object.entries(properties ?? {}).map(([key, inner]) => [key, change(inner)] as const);
      return {
        ...plan,
        ...(properties && { properties: Object.fromEntries(changed) }),
        ...(rest && { rest: change(rest) }),
      };
    }
    case "set":
      return { ...plan, ...(plan.items && { items: change(plan.items) }) };
    case "map":
      return { ...plan, ...(plan.values && { values: change(plan.values) }) };
    case "entries": {
      const { keys, values } = plan;
      return { ...plan, ...(keys && { keys: change(keys) }), ...(values && { values: change(values) }) };
    }
    case "union":
      return { ...plan, options: plan.options.map((option) => ({ ...option, plan: change(option.plan) })) };
    case "custom":
      return { ...plan, ...(plan.json && { json: change(plan.json) }) };
    case "json":
    case "nullable":
      return { ...plan, ...(plan.value && { value: change(plan.value) }) };
    default:
      return plan;
  }
}
