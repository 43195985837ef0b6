import type { Codec, Plan, PlanOption } from "proffer/derived";
import type { Conversion, Problem, UnionFacts } from "../model/conversion.ts";
import { customPlanOf, type FoundCodec } from "./custom-codecs.ts";
import { findUnrecognized, isAmbiguous, isCustomText, isText } from "./union-plan.ts";

/**
 * Builds the final codec of a plan: drops the parts that need no conversion, inlines definitions that are not shared,
 * and checks that union members can be distinguished. `names` maps the ids of shared definitions to their names.
 */
export function finishPlan(
  conversion: Conversion,
  draft: Plan | undefined,
  names: ReadonlyMap<string, string>,
): { codec: Codec | undefined; problems: Problem[] } {
  const { definitions, unions, direction } = conversion;
  const problems: Problem[] = [];
  const defs = new Map<string, Plan | undefined>();
  let isCustom = false as boolean;

  /** Whether the plan contains a value that needs conversion. */
  function isActive(plan: Plan | undefined, seen = new Set<string>()): boolean {
    switch (plan?.kind) {
      case undefined:
        return false;
      case "array":
        return isActive(plan.items, seen);
      case "tuple":
        return plan.items.some((item) => isActive(item ?? undefined, seen)) || isActive(plan.rest, seen);
      case "object":
        return Object.values(plan.properties ?? {}).some((item) => isActive(item, seen)) || isActive(plan.rest, seen);
      case "union":
        return plan.options.some((option) => isActive(option.plan, seen));
      case "ref":
        if (seen.has(plan.name)) return false;
        seen.add(plan.name);
        return isActive(definitions.get(plan.name)?.plan, seen);
      default:
        return true;
    }
  }

  function finish(plan: Plan | null | undefined): Plan | undefined {
    if (!plan || !isActive(plan)) return undefined;
    switch (plan.kind) {
      case "array": {
        const items = finish(plan.items);
        return items && { kind: "array", items };
      }
      case "tuple":
        return { kind: "tuple", items: plan.items.map((item) => finish(item) ?? null), ...optional("rest", plan.rest) };
      case "object":
        return { kind: "object", ...finishProperties(plan.properties), ...optional("rest", plan.rest) };
      case "set":
        return { kind: "set", ...optional("items", plan.items) };
      case "map":
        return { kind: "map", ...optional("values", plan.values) };
      case "entries":
        return { kind: "entries", ...optional("keys", plan.keys), ...optional("values", plan.values) };
      case "union":
        return finishUnion(plan);
      case "ref":
        return finishReference(plan.name);
      case "custom": {
        isCustom = true;
        const { json, ...rest } = plan;
        return { ...rest, ...optional("json", json) };
      }
      default:
        return plan;
    }
  }

  function optional<Key extends string>(key: Key, plan: Plan | undefined): { [K in Key]?: Plan } {
    const finished = finish(plan);
    return (finished ? { [key]: finished } : {}) as { [K in Key]?: Plan };
  }

  function finishProperties(properties: Record<string, Plan> = {}): { properties?: Record<string, Plan> } {
    const finished = Object.entries(properties).flatMap(([key, plan]) => {
      const done = finish(plan);
      return done ? [[key, done] as const] : [];
    });
    return finished.length > 0 ? { properties: Object.fromEntries(finished) } : {};
  }

  function finishReference(id: string): Plan | undefined {
    const name = names.get(id);
    if (name === undefined) return finish(definitions.get(id)?.plan);
    if (!defs.has(name)) {
      defs.set(name, undefined);
      defs.set(name, finish(definitions.get(id)?.plan));
    }
    return { kind: "ref", name };
  }

  function finishUnion(plan: Plan): Plan | undefined {
    const facts = unions.get(plan);
    if (facts === undefined) return undefined;
    const members = facts.members.map((member) => ({ ...member, isActive: isActive(member.plan) }));
    if (isAmbiguous(conversion, members)) problems.push(ambiguityProblem(facts));
    const unrecognized = findUnrecognized(conversion, members);
    if (unrecognized !== undefined) problems.push(recognitionProblem(conversion, facts, unrecognized));
    const options: PlanOption[] = [];
    const customs = members.filter((member) => customPlanOf(conversion, member.plan));
    // The plan of an object would also recognize the values of a codec, so codecs are first.
    for (const { plan: own, when } of new Set([...customs, ...members])) {
      const finished = finish(own);
      if (finished) options.push({ plan: finished, ...(when && { when }) });
    }
    const readsText = direction === "in" && options.some(({ plan: own }) => isText(own) || isCustomText(own));
    const keep = readsText ? members.flatMap(({ literal }) => (literal === undefined ? [] : [literal])) : [];
    const [only] = options;
    const isSelective = customs.length === 0 || direction === "in" || members.length === 1;
    // A single plan among other JSON types needs no condition, because it ignores values of other types.
    if (only && options.length === 1 && keep.length === 0 && only.when === undefined && isSelective) return only.plan;
    return { kind: "union", options, ...(keep.length > 0 && { keep }) };
  }

  const plan = finish(draft);
  if (plan === undefined) return { codec: undefined, problems };
  const shared = [...defs].flatMap(([name, own]) => (own ? [[name, own] as const] : []));
  const codec: Codec = {
    plan,
    ...(shared.length > 0 && { defs: Object.fromEntries(shared) }),
    ...(isCustom && { custom: true as const }),
  };
  return { codec, problems };
}

function recognitionProblem(
  { checker }: Conversion,
  { subject, text, node }: UnionFacts,
  { value, isPlain }: FoundCodec,
): Problem {
  const name = checker.typeToString(value);
  const test = isPlain && value.isClass() ? `value instanceof ${name}` : "…";
  return {
    code: "PF1806",
    message: `${subject}: the codec of '${name}' cannot recognize its values among ${text()}. Add a function to the codec: is: (value) => ${test}`,
    node,
  };
}

function ambiguityProblem({ subject, text, node }: UnionFacts): Problem {
  return {
    code: "PF1108",
    message: `${subject}: the types in ${text()} cannot be distinguished in JSON. Use one type, or objects with a discriminator (a required literal property such as kind).`,
    node,
  };
}
