import type { Plan, PlanOption } from "proffer/derived";
import type { DerivedSchema } from "../model/json-schema.ts";
import {
  type Conversion,
  type Definition,
  type Direction,
  type Problem,
  referredName,
  type UnionFacts,
  type UnionMember,
} from "./conversion.ts";
import { customPlanOf, type FoundCodec } from "./custom-codecs.ts";
import { mapPlans, plansIn, sharePlans } from "./sharing.ts";
import { findUnrecognized, hasHiddenForm, isAmbiguous, isCustomText, isText } from "./union-plan.ts";

/**
 * Builds the final codec of a plan: drops the parts that need no conversion, inlines definitions that are not shared,
 * and checks that union members can be distinguished. `names` maps the ids of shared definitions to their names.
 */
export function finishPlan(conversion: Conversion, draft: Plan | undefined, names: ReadonlyMap<string, string>) {
  const { definitions, unions, direction } = conversion;
  const problems: Problem[] = [];
  const finished = new Map<Plan, Plan | undefined>();
  const defs = new Map<string, Plan | undefined>();
  /** The unions that are being finished, and the names of those that contain themselves. */
  const open = new Map<Plan, string | undefined>();
  const recursive = new Map<string, Plan>();
  let unionCount = 0;
  const isActive = findActive(draft, definitions);
  let isCustom = false;

  function finish(plan: Plan | undefined): Plan | undefined {
    if (!plan || !isActive(plan)) return undefined;
    if (!finished.has(plan)) finished.set(plan, finishActive(plan));
    return finished.get(plan);
  }

  function finishActive(plan: Plan): Plan | undefined {
    if (plan.kind === "union") return finishUnion(plan);
    if (plan.kind === "ref") return finishReference(plan.name);
    isCustom ||= plan.kind === "custom";
    const own = mapPlans(plan, finish);
    // An array whose items need no plan needs none either.
    return own.kind === "array" && own.items === undefined ? undefined : own;
  }

  function finishReference(id: string): Plan | undefined {
    const name = names.get(id);
    if (name === undefined) return finish(definitions.get(id)?.plan);
    if (!defs.has(id)) defs.set(id, undefined);
    return { kind: "ref", name };
  }

  /** Finishes a union. One that contains itself through merged objects gets a name. */
  function finishUnion(plan: Plan): Plan | undefined {
    if (open.has(plan)) {
      const name = open.get(plan) ?? `union ${++unionCount}`;
      open.set(plan, name);
      return { kind: "ref", name };
    }
    open.set(plan, undefined);
    const own = finishMembers(plan);
    const name = open.get(plan);
    open.delete(plan);
    if (name === undefined || own === undefined) return own;
    recursive.set(name, own);
    return { kind: "ref", name };
  }

  function finishMembers(plan: Plan): Plan | undefined {
    const facts = unions.get(plan);
    if (facts === undefined) return undefined;
    const members = facts.members.map((member) => ({ ...member, isActive: isActive(member.plan) }));
    const unrecognized = findUnrecognized(conversion, members);
    if (unrecognized !== undefined) problems.push(recognitionProblem(conversion, facts, unrecognized));
    const merged = isAmbiguous(conversion, members) ? mergeObjects(conversion, members) : undefined;
    const separate = merged ? members.filter(({ json }) => json !== "object") : members;
    if (isAmbiguous(conversion, separate)) {
      const isHidden = direction === "in" || members.some((member) => hasHiddenForm(member.plan, definitions));
      // A value of the author's code shows its class, so it does not matter which member it is.
      if (!isHidden) return { kind: "any" };
      problems.push(ambiguityProblem(direction, facts));
    }
    const options: PlanOption[] = merged ? [{ plan: mapPlans({ kind: "object", properties: merged }, finish) }] : [];
    const customs = separate.filter((member) => customPlanOf(conversion, member.plan));
    // The plan of an object would also recognize the values of a codec, so codecs are first.
    for (const { plan: own, when } of new Set([...customs, ...separate])) {
      const option = finish(own);
      if (option) options.push({ plan: option, ...(when && { when }) });
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
  if (plan === undefined) return { problems };
  // The map grows while it is read.
  for (const id of defs.keys()) defs.set(id, finish(definitions.get(id)?.plan));
  const named = [...defs].flatMap(([id, own]) => (own ? [[names.get(id) ?? id, own] as const] : []));
  const codec = sharePlans(plan, Object.fromEntries([...named, ...recursive]));
  return { codec: isCustom ? { ...codec, custom: true as const } : codec, problems };
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

function ambiguityProblem(direction: Direction, { subject, text, node }: UnionFacts): Problem {
  const problem =
    direction === "in"
      ? "cannot be distinguished in JSON. Use one type,"
      : "cannot be distinguished, and some have a codec or a Map whose keys are not strings, so their JSON differs. Use one type,";
  return {
    code: "PF1108",
    message: `${subject}: the types in ${text()} ${problem} or objects with a discriminator (a required literal property such as kind).`,
    node,
  };
}

/** Plans that only lead to others; any other plan converts values. */
const CONTAINERS: ReadonlySet<Plan["kind"]> = new Set(["array", "tuple", "object", "union", "ref"]);

/** Returns a function that says whether a plan contains a value that needs conversion. Visits each plan once. */
function findActive(
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

/** Deeper plans are not compared. */
const MAX_DEPTH = 5;

/**
 * Merges the plans of objects that cannot be distinguished, if each property that occurs in several of them is converted
 * in the same way: `{ id: string; at?: Date } | { key: string; at?: Date }`. Undefined for any other union.
 */
function mergeObjects(conversion: Conversion, members: readonly UnionMember[]): Record<string, Plan> | undefined {
  const objects = members.filter(({ json }) => json === "object").map((member) => resolve(conversion, member));
  if (objects.length < 2) return undefined;
  const merged = new Map<string, Plan>();
  for (const { plan } of objects) {
    if (plan !== undefined && (plan.kind !== "object" || plan.rest)) return undefined;
    for (const [name, own] of Object.entries(plan?.properties ?? {})) merged.set(name, own);
  }
  const agrees = ({ schema, plan }: (typeof objects)[number]) => {
    const own = plan?.kind === "object" ? (plan.properties ?? {}) : {};
    return [...merged].every(([name, expected]) => {
      return !Object.hasOwn(schema.properties ?? {}, name) || isSame(own[name], expected, MAX_DEPTH);
    });
  };
  // An object without listed properties may have any of them.
  const isListed = ({ schema }: (typeof objects)[number]) => schema.properties && !schema.patternProperties;
  return objects.every((object) => isListed(object) && agrees(object)) ? Object.fromEntries(merged) : undefined;
}

/** Follows the references of a member. */
function resolve({ definitions }: Conversion, member: UnionMember): { schema: DerivedSchema; plan: Plan | undefined } {
  const definition = definitions.get(referredName(member.schema) ?? "");
  const schema = definition?.schema ?? member.schema;
  const { plan } = member;
  return { schema, plan: plan?.kind === "ref" ? definitions.get(plan.name)?.plan : plan };
}

function isSame(one: Plan | undefined, other: Plan, depth: number): boolean {
  if (one === other) return true;
  if (one === undefined || one.kind !== other.kind || depth === 0) return false;
  if (one.kind === "ref" && other.kind === "ref") return one.name === other.name;
  const [own, others] = [plansIn(one), plansIn(other)];
  const names = [one, other].map((plan) => (plan.kind === "object" ? Object.keys(plan.properties ?? {}).join() : ""));
  // Unions and codecs also have conditions, which are compared by identity only.
  if (one.kind === "union" || one.kind === "custom" || names[0] !== names[1] || own.length !== others.length)
    return false;
  return own.every((plan, index) => isSame(plan, others[index] as Plan, depth - 1));
}
