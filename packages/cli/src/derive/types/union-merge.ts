import type { Plan } from "proffer/derived";
import { type Conversion, referredName, type UnionMember } from "../model/conversion.ts";
import type { DerivedSchema } from "../model/json-schema.ts";
import { plansIn } from "./plan-part.ts";

/** Deeper plans are not compared. */
const MAX_DEPTH = 5;

/**
 * Merges the plans of objects that cannot be distinguished, if each property that occurs in several of them is converted
 * in the same way: `{ id: string; at?: Date } | { key: string; at?: Date }`. Undefined for any other union.
 */
export function mergeObjects(
  conversion: Conversion,
  members: readonly UnionMember[],
): Record<string, Plan> | undefined {
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
