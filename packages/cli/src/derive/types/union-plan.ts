import { type Plan, type PlanOption, TEXT_FORMS, type TextKind } from "proffer/derived";
import { type Conversion, type Definition, jsonOf, type UnionMember } from "./conversion.ts";
import { customPlanOf, type FoundCodec } from "./custom-codecs.ts";
import { plansIn } from "./sharing.ts";

const TEXT_KINDS: ReadonlySet<string> = new Set<TextKind>(["date", "url", "bytes", "buffer", "bigint"]);

/** Whether a plan converts values that JSON represents as one string. */
export function isText(plan: Plan): boolean {
  return TEXT_KINDS.has(plan.kind);
}

/** Whether a plan is a codec of the author that reads strings. */
export function isCustomText(plan: Plan | undefined): boolean {
  return plan?.kind === "custom" && (plan.types?.includes("string") ?? true);
}

/** Plans a union. `text` returns the union's name in messages. */
export function planUnion(conversion: Conversion, members: UnionMember[], text: () => string): Plan | undefined {
  if (conversion.direction === "out") return planOneOf(conversion, members, text);
  const merged = mergeLists(conversion, members, text);
  if (!merged.some(isFreeText)) return planOneOf(conversion, merged, text);
  const readsOnlyText = (plan: Plan) => isText(plan) || (plan.kind === "custom" && plan.types?.join() === "string");
  const withoutTexts = merged.map(({ plan, ...rest }) => (plan && !readsOnlyText(plan) ? { ...rest, plan } : rest));
  return planOneOf(conversion, withoutTexts, text);
}

/** Replaces several lists by one whose elements are a union: the elements of `number[] | bigint[]` show their type. */
function mergeLists(conversion: Conversion, members: UnionMember[], text: () => string): UnionMember[] {
  const isList = ({ schema, plan }: UnionMember) =>
    schema.items !== undefined && !schema.prefixItems && (plan === undefined || plan.kind === "array");
  const lists = members.filter(isList);
  if (lists.length < 2 || lists.every(({ plan }) => plan === undefined)) return members;
  const elements = lists.map(({ schema: { items = {} }, plan }) => {
    return { schema: items, json: jsonOf(conversion, items), ...(plan?.kind === "array" && { plan: plan.items }) };
  });
  const items = planUnion(conversion, elements, text);
  const list: UnionMember = {
    schema: { type: "array" },
    json: "array",
    ...(items && { plan: { kind: "array", items } }),
  };
  return [...members.filter((member) => !isList(member)), list];
}

/** Plans values at different places, such as the properties of several index signatures, which have one plan. */
export function planOneOf(conversion: Conversion, members: UnionMember[], text: () => string): Plan | undefined {
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

/** A member of a union, and whether its values need conversion. */
export interface PlannedMember extends UnionMember {
  isActive: boolean;
}

/**
 * Whether a value does not identify its member. In JSON only the JSON type is visible, so a date looks like any string;
 * a value of the author's code also has a class.
 */
export function isAmbiguous(conversion: Conversion, members: PlannedMember[]): boolean {
  const { direction } = conversion;
  for (const [name, group] of byClass(conversion, members)) {
    if (group.length < 2 || !group.some(({ isActive }) => isActive)) continue;
    if (name === "object" && group.every(({ when }) => when !== undefined)) continue;
    if (name === "string" && direction === "in" && !isAmbiguousText(group)) continue;
    if (name === "text" || name === "error") continue;
    return true;
  }
  return false;
}

/**
 * Whether a plan writes values in a form that their class does not show: with a codec, or a Map by the type of its keys,
 * which an empty Map does not have.
 */
export function hasHiddenForm(root: Plan | undefined, definitions: ReadonlyMap<string, Definition>): boolean {
  const visited = new Set<Plan>(root ? [root] : []);
  // The set grows while it is read.
  for (const plan of visited) {
    if (plan.kind === "entries" || plan.kind === "custom") return true;
    const target = plan.kind === "ref" ? definitions.get(plan.name)?.plan : undefined;
    for (const inner of target ? [target] : plansIn(plan)) visited.add(inner);
  }
  return false;
}

const JSON_TYPES = ["boolean", "number", "string", "array", "object"] as const;

function byClass(conversion: Conversion, members: PlannedMember[]): Map<string, PlannedMember[]> {
  const groups = new Map<string, PlannedMember[]>();
  for (const member of members) {
    const custom = customPlanOf(conversion, member.plan);
    // The values of codecs are the subject of `findUnrecognized`.
    if (custom && conversion.direction === "out") continue;
    const own = conversion.direction === "in" ? member.json : classOf(member);
    for (const name of custom ? (custom.types ?? JSON_TYPES) : [own]) {
      groups.set(name, [...(groups.get(name) ?? []), member]);
    }
  }
  return groups;
}

/**
 * Returns the codec that cannot recognize its values in a result. Without `is`, the run-time assumes that any
 * object belongs to the codec, except arrays and the classes that have plans.
 */
export function findUnrecognized(conversion: Conversion, members: PlannedMember[]): FoundCodec | undefined {
  if (conversion.direction === "in" || members.length < 2) return undefined;
  const customOf = ({ plan }: UnionMember) => customPlanOf(conversion, plan);
  const found = members.flatMap((member) => conversion.codecs.named(String(customOf(member)?.codec)) ?? []);
  const [first, second] = found.filter(({ hasIs }) => !hasIs);
  if (first === undefined) return undefined;
  // Objects without a plan of their class.
  const isObject = ({ plan, json }: UnionMember) =>
    json === "object" && (plan === undefined || plan.kind === "object" || plan.kind === "ref");
  const hasObjects = members.some((member) => isObject(member) && !customOf(member));
  return second !== undefined || hasObjects || !first.isPlain ? first : undefined;
}

/** Returns the visible class of a value in the author's code. Text kinds (Date, URL, …) are always distinct. */
function classOf({ plan, json, schema }: UnionMember): string {
  if (plan === undefined) return json;
  if (isText(plan)) return "text";
  if (plan.kind === "set" || plan.kind === "error" || plan.kind === "json") return plan.kind;
  if (plan.kind === "nullable") return classOf({ ...(plan.value && { plan: plan.value }), json, schema });
  return plan.kind === "map" || plan.kind === "entries" ? "map" : json;
}

/** Whether a member is any string. In `Date | string` a text stays a string, which has the type too. */
function isFreeText({ plan, literal, json, schema }: UnionMember): boolean {
  return json === "string" && plan === undefined && literal === undefined && schema.pattern === undefined;
}

/** Whether strings are ambiguous. Digits, dates, URLs and literals have distinct forms; base64 and free text do not. */
function isAmbiguousText(group: PlannedMember[]): boolean {
  const kinds = new Set(group.flatMap(({ plan }) => (plan ? [plan.kind as TextKind] : [])));
  if (group.some(({ plan, literal }) => plan === undefined && literal === undefined)) return true;
  // A codec reads any string except the literals.
  if (group.some(({ plan }) => isCustomText(plan))) return group.filter(({ plan }) => plan !== undefined).length > 1;
  if (kinds.size > 1 && (kinds.has("bytes") || kinds.has("buffer"))) return true;
  return group.some(
    ({ literal }) => literal !== undefined && [...kinds].some((kind) => TEXT_FORMS[kind].looksLike(literal)),
  );
}
