import type { Plan, PlanOption } from "proffer/derived";
import { looksLike, type TextKind } from "proffer/derived";
import type { Conversion, Direction, UnionMember } from "../model/conversion.ts";

const TEXT_KINDS: ReadonlySet<string> = new Set<TextKind>(["date", "url", "bytes", "buffer", "bigint"]);

/** Whether a plan is for values that are written as one string. */
export function isText(plan: Plan): boolean {
  return TEXT_KINDS.has(plan.kind);
}

/** Plans a value that may be of several types. `text` is how complaints call the union. */
export function planUnion(conversion: Conversion, members: UnionMember[], text: () => string): Plan | undefined {
  const options: PlanOption[] = [];
  for (const { plan, when } of members) if (plan) options.push({ plan, ...(when && { when }) });
  if (options.length === 0) return undefined;
  const [only] = members;
  if (members.length === 1 && only?.plan) return only.plan;
  const plan: Plan = { kind: "union", options };
  const { subject, place } = conversion;
  conversion.unions.set(plan, { members, text, subject, node: place });
  return plan;
}

/** A member of a union, and whether its values need any work. */
export interface JudgedMember extends UnionMember {
  isActive: boolean;
}

/**
 * Whether a value does not tell which of the members it is. JSON shows only its own types, so that a date is one string
 * among others; a value of the author's shows its class, too.
 */
export function isUndecidable(direction: Direction, members: JudgedMember[]): boolean {
  for (const [name, group] of byClass(direction, members)) {
    if (group.length < 2 || !group.some(({ isActive }) => isActive)) continue;
    if (name === "object" && group.every(({ when }) => when !== undefined)) continue;
    if (name === "string" && direction === "in" && !isAmbiguousText(group)) continue;
    if (name === "text") continue;
    return true;
  }
  return false;
}

function byClass(direction: Direction, members: JudgedMember[]): Map<string, JudgedMember[]> {
  const groups = new Map<string, JudgedMember[]>();
  for (const member of members) {
    const name = direction === "in" ? member.json : classOf(member);
    groups.set(name, [...(groups.get(name) ?? []), member]);
  }
  return groups;
}

/** The class of a value of the author's, as far as it can be seen. Each that is written as text has its own. */
function classOf({ plan, json }: UnionMember): string {
  if (plan === undefined) return json;
  if (isText(plan)) return "text";
  if (plan.kind === "set") return "set";
  return plan.kind === "map" || plan.kind === "entries" ? "map" : json;
}

/** Digits, dates, URLs and given words differ by their looks; base64 and plain strings do not. */
function isAmbiguousText(group: JudgedMember[]): boolean {
  const kinds = new Set(group.flatMap(({ plan }) => (plan ? [plan.kind as TextKind] : [])));
  if (group.some(({ plan, literal }) => plan === undefined && literal === undefined)) return true;
  if (kinds.size > 1 && (kinds.has("bytes") || kinds.has("buffer"))) return true;
  return group.some(({ literal }) => literal !== undefined && [...kinds].some((kind) => looksLike(kind, literal)));
}
