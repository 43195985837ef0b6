import { isError } from "../support/objects.ts";
import { atKey, CodecError, TEXT_FORMS } from "./codec-text.ts";
import { decodeCustom, encodeCustom, isCustomForm, isCustomValue } from "./custom-codec.ts";
import { asWritten, encodeAny, encodeError, hasToJson } from "./encode-any.ts";
import type { Codec, Plan, PlanCondition } from "./manifest.ts";

type Definitions = Readonly<Record<string, Plan>>;
type PlanOf<Kind extends Plan["kind"]> = Extract<Plan, { kind: Kind }>;
type Convert = (plan: Plan, defs: Definitions, value: unknown) => unknown;
type Recognize = (plan: Plan, when: PlanCondition | undefined, defs: Definitions, value: unknown) => boolean;

const NO_DEFINITIONS: Definitions = {};

/**
 * Converts a JSON value to the value that the author's function expects. Copies only the parts that the plan covers.
 * Values of another JSON type than the plan expects stay unchanged: the input schema has already validated them.
 * @throws {CodecError} for an invalid date, URL, base64 text or integer.
 */
export function decode(codec: Codec, value: unknown): unknown {
  return decodeBy(codec.plan, codec.defs ?? NO_DEFINITIONS, value);
}

/**
 * Converts a value of the author's function to a JSON value. A value of another class than the plan expects stays
 * unchanged, and the output schema rejects it.
 * @throws {CodecError} for an invalid Date, a cycle, or a value that is nested too deep.
 */
export function encode(codec: Codec, value: unknown): unknown {
  try {
    return encodeBy(codec.plan, codec.defs ?? NO_DEFINITIONS, value);
  } catch (error) {
    if (error instanceof RangeError) throw new CodecError("contains a cycle, or is nested too deep");
    throw error;
  }
}

function decodeBy(plan: Plan, defs: Definitions, value: unknown): unknown {
  switch (plan.kind) {
    case "array":
      return Array.isArray(value) ? mapList(plan.items, defs, value, decodeBy) : value;
    case "tuple":
      return Array.isArray(value) ? mapTuple(plan, defs, value, decodeBy) : value;
    case "object":
      return isRecord(value) ? mapProperties(plan, defs, value, decodeBy) : value;
    case "set":
      return Array.isArray(value) ? new Set(mapList(plan.items, defs, value, decodeBy)) : value;
    case "map":
      return isRecord(value) ? new Map(Object.entries(mapProperties(valuesOf(plan), defs, value, decodeBy))) : value;
    case "entries":
      return Array.isArray(value) ? new Map(mapPairs(plan, defs, value, decodeBy)) : value;
    case "union": {
      if (typeof value === "string" && plan.keep?.includes(value)) return value;
      const chosen = choose(plan, defs, value, isWrittenAs);
      return chosen ? decodeBy(chosen, defs, value) : value;
    }
    case "ref":
      return decodeBy(resolve(plan, defs), defs, value);
    case "custom":
      if (!isCustomForm(plan, value)) return value;
      return decodeCustom(plan, plan.json ? decodeBy(plan.json, defs, value) : value);
    case "any":
    case "error":
    case "json":
    case "nullable":
      return value;
    default:
      return typeof value === "string" ? TEXT_FORMS[plan.kind].read(value) : value;
  }
}

function encodeBy(plan: Plan, defs: Definitions, value: unknown): unknown {
  switch (plan.kind) {
    case "array":
      return Array.isArray(value) ? mapList(plan.items, defs, value, encodeBy) : value;
    case "tuple":
      return Array.isArray(value) ? mapTuple(plan, defs, value, encodeBy) : value;
    case "object": {
      const written = asWritten(value);
      return isRecord(written) ? mapProperties(plan, defs, written, encodeBy) : written;
    }
    case "set":
      return value instanceof Set ? mapList(plan.items, defs, [...value], encodeBy) : value;
    case "map":
      // Unlike assignment, Object.fromEntries makes __proto__ an ordinary key.
      return value instanceof Map ? mapProperties(valuesOf(plan), defs, Object.fromEntries(value), encodeBy) : value;
    case "entries":
      return value instanceof Map ? mapPairs(plan, defs, [...value], encodeBy) : value;
    case "union": {
      const chosen = choose(plan, defs, value, isInstance);
      return chosen ? encodeBy(chosen, defs, value) : isError(value) ? encodeError(value) : value;
    }
    case "ref":
      return encodeBy(resolve(plan, defs), defs, value);
    case "custom": {
      if (value === undefined || value === null) return value;
      const json = encodeCustom(plan, value);
      return plan.json ? encodeBy(plan.json, defs, json) : json;
    }
    case "any":
      return encodeAny(value);
    case "error":
      return isError(value) ? encodeError(value) : value;
    case "json": {
      const written = asWritten(value);
      return plan.value ? encodeBy(plan.value, defs, written) : written;
    }
    case "nullable":
      if (value === undefined) return null;
      return plan.value ? encodeBy(plan.value, defs, value) : value;
    default: {
      const form = TEXT_FORMS[plan.kind];
      return form.isInstance(value) ? form.write(value) : value;
    }
  }
}

function choose(plan: PlanOf<"union">, defs: Definitions, value: unknown, recognize: Recognize): Plan | undefined {
  for (const option of plan.options) {
    if (recognize(option.plan, option.when, defs, value)) return option.plan;
  }
  return undefined;
}

/** Whether a JSON value has the form that the plan decodes. */
function isWrittenAs(plan: Plan, when: PlanCondition | undefined, defs: Definitions, value: unknown): boolean {
  switch (plan.kind) {
    case "array":
    case "tuple":
    case "set":
    case "entries":
      return Array.isArray(value);
    case "object":
    case "map":
      return isRecord(value) && meets(value, when);
    case "union":
      return choose(plan, defs, value, isWrittenAs) !== undefined;
    case "ref":
      return isWrittenAs(resolve(plan, defs), when, defs, value);
    case "custom":
      return isCustomForm(plan, value) && (!isRecord(value) || meets(value, when));
    case "any":
    case "error":
    case "json":
    case "nullable":
      return false;
    default:
      return typeof value === "string" && TEXT_FORMS[plan.kind].looksLike(value);
  }
}

/** Whether a value of the author's function is of the class that the plan encodes. */
function isInstance(plan: Plan, when: PlanCondition | undefined, defs: Definitions, value: unknown): boolean {
  switch (plan.kind) {
    case "array":
    case "tuple":
      return Array.isArray(value);
    case "set":
      return value instanceof Set;
    case "map":
    case "entries":
      return value instanceof Map;
    case "object":
      return isRecord(value) && !hasOwnPlanKind(value) && meets(value, when);
    case "union":
      return choose(plan, defs, value, isInstance) !== undefined;
    case "ref":
      return isInstance(resolve(plan, defs), when, defs, value);
    case "custom":
      return isCustomValue(plan, value) ?? (isRecord(value) && !hasOwnPlanKind(value));
    case "any":
      return true;
    case "error":
      return isError(value);
    case "json":
      return hasToJson(value) && !hasOwnPlanKind(value);
    case "nullable":
      return value === undefined || (plan.value !== undefined && isInstance(plan.value, when, defs, value));
    default:
      return TEXT_FORMS[plan.kind].isInstance(value);
  }
}

function mapTuple(plan: PlanOf<"tuple">, defs: Definitions, list: unknown[], convert: Convert): unknown[] {
  const converted: unknown[] = new Array(list.length);
  for (let index = 0; index < list.length; index++) {
    const own = index < plan.items.length ? plan.items[index] : plan.rest;
    converted[index] = own ? convertAt(index, own, defs, list[index], convert) : list[index];
  }
  return converted;
}

function mapList(plan: Plan | undefined, defs: Definitions, list: unknown[], convert: Convert): unknown[] {
  if (plan === undefined) return list;
  const converted: unknown[] = new Array(list.length);
  for (let index = 0; index < list.length; index++) {
    converted[index] = convertAt(index, plan, defs, list[index], convert);
  }
  return converted;
}

function mapProperties(
  plan: PlanOf<"object">,
  defs: Definitions,
  value: Record<string, unknown>,
  convert: Convert,
): Record<string, unknown> {
  const { properties = NO_DEFINITIONS, rest } = plan;
  // A spread defines own properties, so a key named __proto__ stays an ordinary key.
  const copy = { ...value };
  for (const key of Object.keys(rest ? value : properties)) {
    const own = Object.hasOwn(properties, key) ? properties[key] : rest;
    if (own && Object.hasOwn(value, key)) copy[key] = convertAt(key, own, defs, value[key], convert);
  }
  return copy;
}

/** The plan of the object that encodes a Map. */
function valuesOf({ values }: PlanOf<"map">): PlanOf<"object"> {
  return { kind: "object", ...(values && { rest: values }) };
}

function mapPairs(
  plan: PlanOf<"entries">,
  defs: Definitions,
  pairs: unknown[],
  convert: Convert,
): [unknown, unknown][] {
  const pairPlan: Plan = { kind: "tuple", items: [plan.keys ?? null, plan.values ?? null] };
  const converted: [unknown, unknown][] = [];
  for (let index = 0; index < pairs.length; index++) {
    const pair = pairs[index];
    if (!Array.isArray(pair)) throw atKey(new CodecError("must be a pair of a key and a value"), index);
    const [key, value] = convertAt(index, pairPlan, defs, pair, convert) as unknown[];
    converted.push([key, value]);
  }
  return converted;
}

function convertAt(key: string | number, plan: Plan, defs: Definitions, value: unknown, convert: Convert): unknown {
  try {
    return convert(plan, defs, value);
  } catch (error) {
    throw atKey(error, key);
  }
}

function resolve(plan: PlanOf<"ref">, defs: Definitions): Plan {
  const target = Object.hasOwn(defs, plan.name) ? defs[plan.name] : undefined;
  if (target === undefined) throw new TypeError(`The codec has no plan named "${plan.name}".`);
  return target;
}

function meets(value: Record<string, unknown>, when: PlanCondition | undefined): boolean {
  if (when === undefined) return true;
  const own = Object.hasOwn(value, when.property) ? value[when.property] : undefined;
  return own === undefined ? when.absent === true : (when.values as unknown[]).includes(own);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is an instance of a class with its own kind of plan. */
function hasOwnPlanKind(value: object): boolean {
  return (
    value instanceof Date ||
    value instanceof URL ||
    value instanceof Uint8Array ||
    value instanceof Set ||
    value instanceof Map ||
    isError(value)
  );
}
