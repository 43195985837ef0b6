import { isObject, type JsonObject, valueAt } from "../../protocol/messages.ts";
import { MAX_DEPTH, parseText } from "../../protocol/parse.ts";
import { unescapeToken } from "../../support/json-pointer.ts";
import { startRun } from "./compile.ts";
import { charge, NAME_COST, run } from "./run.ts";

/** A set of JSON types: the sum of their numbers. Integers are numbers. */
type Types = number;

const BOOLEAN = 1;
const NUMBER = 2;
const ARRAY = 8;
const OBJECT = 16;
const ALL: Types = 63;

const TYPES: ReadonlyMap<unknown, Types> = /* @__PURE__ */ new Map([
  ["boolean", BOOLEAN],
  ["number", NUMBER],
  ["integer", NUMBER],
  ["string", 4],
  ["array", ARRAY],
  ["object", OBJECT],
  ["null", 32],
]);

/** The depth of the arguments in a message: below the envelope and `params`. */
const ARGUMENTS_DEPTH = 3;

/** The steps for one object or array besides its members. */
const CONTAINER_COST = 12;

/** RFC 8259, section 6. */
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Converts the strings in tool arguments that cannot be meant as strings: at a place whose schema allows no string and
 * exactly one other type, the texts `true` and `false`, a JSON number, or a JSON object or array. Returns a copy, or the
 * same object if nothing was converted. The copy is not validated.
 *
 * The schema may come from a library and have any keyword. A keyword that is unknown here allows everything, so it
 * prevents a conversion or leaves the decision to the validator. The walk is charged like a validation, and `maxItems`
 * limits the keys and elements of all texts together.
 */
export function coerceArguments(root: JsonObject, sent: JsonObject, maxItems: number): unknown {
  const known = new Map<unknown, Types>();
  const targets = new Map<unknown, unknown>();
  let itemsLeft = maxItems;

  /** Returns the types that a schema allows, or more. */
  function allowed(schema: unknown): Types {
    if (!isObject(schema)) return schema === false ? 0 : ALL;
    let types = known.get(schema);
    if (types !== undefined) return types;
    // The result for a schema that refers to itself.
    known.set(schema, ALL);
    types = allowed(resolve(schema.$ref));
    if (schema.type !== undefined) types &= union([schema.type].flat(), (name) => TYPES.get(name) ?? ALL);
    if (schema.enum !== undefined) types &= union(listOf(schema.enum), typeOf);
    if (schema.const !== undefined) types &= typeOf(schema.const);
    for (const part of listOf(schema.allOf)) types &= allowed(part);
    for (const alternatives of unionsOf(schema)) types &= union(alternatives, allowed);
    known.set(schema, types);
    return types;
  }

  /** Returns the target of a reference within the schema; undefined for any other reference. */
  function resolve(ref: unknown): unknown {
    if (typeof ref !== "string" || targets.has(ref)) return targets.get(ref);
    const [first, ...tokens] = decodeURIComponent(ref).split("/");
    const path = tokens.map(unescapeToken);
    const target = first === "#" ? valueAt(root, path) : undefined;
    targets.set(ref, target);
    return target;
  }

  function convert(schema: unknown, given: unknown, depth: number): unknown {
    if (!isObject(schema) || !charge(1)) return given;
    let value = typeof given === "string" ? fromText(given, allowed(schema), depth) : given;
    if (typeof value !== "object" || value === null || !charge(CONTAINER_COST)) return value;
    value = convertMembers(schema, value as JsonObject, depth + 1);
    // Each part can only narrow the types, so a place that has one type by a part has no other by the whole.
    value = convert(resolve(schema.$ref), value, depth);
    for (const part of listOf(schema.allOf)) value = convert(part, value, depth);
    for (const alternatives of unionsOf(schema)) {
      const [only, second] = alternatives.filter((alternative) => fits(alternative, value));
      if (second === undefined) value = convert(only, value, depth);
    }
    return value;
  }

  function fromText(text: string, types: Types, depth: number): unknown {
    if (types === BOOLEAN) return text === "true" || (text === "false" ? false : text);
    if (types === NUMBER) return toNumber(text);
    if ((types !== ARRAY && types !== OBJECT) || !charge(text.length >> 3)) return text;
    const parsed = parseText(text, MAX_DEPTH + 1 - depth, itemsLeft);
    if (parsed === undefined || typeOf(parsed.value) !== types) return text;
    itemsLeft -= parsed.items;
    return parsed.value;
  }

  /** Converts the items of an array or the properties of an object. */
  function convertMembers(schema: JsonObject, given: JsonObject, depth: number): unknown {
    const isArray = Array.isArray(given);
    const named = isArray ? schema.prefixItems : schema.properties;
    // A pattern may apply to a property instead of `additionalProperties`.
    const isOpen = !isArray && schema.patternProperties !== undefined;
    const rest = isArray ? schema.items : isOpen ? undefined : schema.additionalProperties;
    const cost = isArray ? 1 : NAME_COST;
    let copy: Record<string, unknown> | undefined;
    for (const name of Object.keys(isObject(rest) ? given : (named ?? {}))) {
      if (!charge(cost)) break;
      if (!Object.hasOwn(given, name)) continue;
      const next = convert(valueAt(named, [name]) ?? rest, given[name], depth);
      if (next === given[name]) continue;
      copy ??= copyOf(given, cost);
      // The copy already has its own property of this name, so even __proto__ is safe.
      copy[name] = next;
    }
    return copy ?? given;
  }

  /** Whether a value could match an alternative of a union once its strings are converted. */
  function fits(schema: unknown, value: unknown): boolean {
    if ((allowed(schema) & typeOf(value)) === 0) return false;
    if (!isObject(schema) || !isObject(value)) return true;
    const properties = Object.entries(schema.properties ?? {});
    return (
      charge(properties.length) &&
      listOf(schema.required).every((name) => Object.hasOwn(value, name as string)) &&
      properties.every(([name, property]) => !Object.hasOwn(value, name) || isPossible(property, value[name])) &&
      fits(resolve(schema.$ref), value)
    );
  }

  /** Whether the constants of a property, such as a discriminator, permit a value. */
  function isPossible(schema: unknown, value: unknown): boolean {
    // A value of another type may be converted.
    if (!isObject(schema) || (allowed(schema) & typeOf(value)) === 0) return true;
    const constants = schema.const === undefined ? listOf(schema.enum) : [schema.const];
    return constants.length === 0 || (charge(constants.length) && constants.includes(value));
  }

  startRun();
  try {
    const converted = convert(root, sent, ARGUMENTS_DEPTH);
    return run.left < 0 ? sent : converted;
  } catch (error) {
    // A library's schema may refer to itself for the same value, or have a reference with an invalid escape.
    if (error instanceof RangeError || error instanceof URIError) return sent;
    throw error;
  }
}

/** Converts a number in JSON, unless a number cannot hold it: an id of 20 digits would become another id. */
function toNumber(text: string): number | string {
  const number = JSON_NUMBER.test(text) ? Number(text) : Number.NaN;
  const isExact = /\D/.test(text.slice(1)) ? Number.isFinite(number) : Number.isSafeInteger(number);
  return isExact ? number : text;
}

function copyOf(value: JsonObject | readonly unknown[], cost: number): Record<string, unknown> {
  charge(Object.keys(value).length * cost);
  return (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
}

function typeOf(value: unknown): Types {
  if (Array.isArray(value)) return ARRAY;
  return TYPES.get(value === null ? "null" : typeof value) ?? ALL;
}

function union<Item>(items: readonly Item[], types: (item: Item) => Types): Types {
  return items.reduce((sum, item) => sum | types(item), 0);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function unionsOf({ anyOf, oneOf }: JsonObject): (readonly unknown[])[] {
  return [anyOf, oneOf].filter(Array.isArray);
}
