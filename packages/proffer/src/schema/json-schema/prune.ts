import { escapeToken } from "../../support/json-pointer.ts";
import { memoized } from "../../support/memo.ts";
import { compileRules, startRun } from "./compile.ts";
import { keywords, mapAll, subschemas } from "./keywords.ts";
import { compilePattern, type Pattern, patternProblem, trustedPattern } from "./pattern.ts";
import { indexSchema } from "./schema-index.ts";
import type { JsonSchema, JsonSchemaObject } from "./types.ts";

/** A value without the properties that its schema does not have, and their number. */
interface Pruned {
  readonly value: unknown;
  readonly dropped: number;
}

/** Drops the properties that a schema does not have, at every level. Copies only the parts that change. */
type Pruner = (value: unknown) => unknown;

/**
 * Returns the pruner of a schema. A property is known if any schema that applies to the object names it. Of a union, the alternative
 * applies that matches the value and drops the least. An object about whose properties no schema says anything stays
 * whole.
 */
export const prunerOf = /* @__PURE__ */ memoized((root: JsonSchemaObject): Pruner => {
  const index = indexSchema(openSchema(root));
  const ruleAt = compileRules(index);
  const patterns = new Map<string, Pattern>();
  /** The results by value and pointers: alternatives of unions prune the same parts again. */
  let known = new Map<object, Map<string, Pruned>>();

  function matches(pointer: string, value: unknown): boolean {
    startRun();
    return ruleAt(pointer).check(value);
  }

  /** Returns the pointers of the schemas that apply to a value besides that at `pointer`. */
  function applying(pointer: string, value: object): string[] {
    const schema = index.objectAt(pointer);
    if (schema === undefined) return [];
    const parts = schema.$ref === undefined ? [] : [index.resolve(schema.$ref, pointer)];
    for (const i of (schema.allOf ?? []).keys()) parts.push(`${pointer}/allOf/${i}`);
    for (const keyword of ["anyOf", "oneOf"] as const) {
      const alternatives = (schema[keyword] ?? []).map((_, i) => `${pointer}/${keyword}/${i}`);
      if (alternatives.length > 0) parts.push(...choose(alternatives, value));
    }
    if (schema.if !== undefined) {
      parts.push(...(matches(`${pointer}/if`, value) ? [`${pointer}/if`, `${pointer}/then`] : [`${pointer}/else`]));
    }
    for (const name of Object.keys(schema.dependentSchemas ?? {})) {
      if (Object.hasOwn(value, name)) parts.push(`${pointer}/dependentSchemas/${escapeToken(name)}`);
    }
    return [pointer, ...parts.flatMap((part) => applying(part, value))];
  }

  /** Returns the alternative that applies, or all of them if none matches: then the value is not valid. */
  function choose(alternatives: string[], value: object): string[] {
    const fitting = alternatives.filter((pointer) => matches(pointer, value));
    const [first] = fitting;
    if (first === undefined) return alternatives;
    if (fitting.length === 1) return fitting;
    const drops = fitting.map((pointer) => prune([pointer], value).dropped);
    return [fitting[drops.indexOf(Math.min(...drops))] ?? first];
  }

  function prune(pointers: readonly string[], given: unknown): Pruned {
    const value = pointers.length > 0 ? toJson(given) : given;
    if (typeof value !== "object" || value === null || pointers.length === 0) return { value, dropped: 0 };
    const results = known.get(value) ?? new Map<string, Pruned>();
    known.set(value, results);
    const key = pointers.join(" ");
    let pruned = results.get(key);
    if (pruned === undefined) {
      const places = pointers.flatMap((pointer) => applying(pointer, value));
      pruned = Array.isArray(value) ? pruneItems(places, value) : pruneProperties(places, value as Properties);
      results.set(key, pruned);
    }
    return pruned;
  }

  function pruneItems(places: readonly string[], list: unknown[]): Pruned {
    let copy: unknown[] | undefined;
    let dropped = 0;
    for (const [i, item] of list.entries()) {
      const pruned = prune(
        places.flatMap((place) => {
          const { prefixItems = [], items } = index.objectAt(place) ?? {};
          if (i < prefixItems.length) return `${place}/prefixItems/${i}`;
          return items === undefined ? [] : `${place}/items`;
        }),
        item,
      );
      dropped += pruned.dropped;
      if (pruned.value === item) continue;
      copy ??= [...list];
      copy[i] = pruned.value;
    }
    return { value: copy ?? list, dropped };
  }

  function pruneProperties(places: readonly string[], value: Properties): Pruned {
    const schemas = places.map((place) => [place, index.objectAt(place) ?? {}] as const);
    const isClosed = schemas.some(([, schema]) => declaresProperties(schema));
    const kept: [string, unknown][] = [];
    let dropped = 0;
    let isSame = true;
    for (const name of Object.keys(value)) {
      const pointers = schemas.flatMap(([place, schema]) => schemasOf(place, schema, name));
      if (isClosed && pointers.length === 0) {
        dropped++;
        continue;
      }
      const pruned = prune(pointers, value[name]);
      dropped += pruned.dropped;
      isSame &&= pruned.value === value[name];
      kept.push([name, pruned.value]);
    }
    // Unlike assignment, Object.fromEntries makes __proto__ an ordinary key.
    return { value: isSame && kept.length === Object.keys(value).length ? value : Object.fromEntries(kept), dropped };
  }

  /** Returns the pointers of the schemas that one schema has for a property. */
  function schemasOf(place: string, schema: JsonSchemaObject, name: string): string[] {
    const found = Object.hasOwn(schema.properties ?? {}, name) ? [`${place}/properties/${escapeToken(name)}`] : [];
    for (const source of Object.keys(schema.patternProperties ?? {})) {
      const pattern = patterns.get(source) ?? anyPattern(source);
      patterns.set(source, pattern);
      if (pattern.test(name)) found.push(`${place}/patternProperties/${escapeToken(source)}`);
    }
    return found.length > 0 || schema.additionalProperties === undefined ? found : [`${place}/additionalProperties`];
  }

  return (value) => {
    try {
      return prune([""], value).value;
    } finally {
      known = new Map();
    }
  };
});

type Properties = { readonly [name: string]: unknown };

/** Calls `toJSON` as `JSON.stringify` would: later it would add properties again. */
function toJson(value: unknown): unknown {
  const { toJSON } = (value ?? {}) as { toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(value) : value;
}

/** Keywords that combine schemas for one object, so that no single schema knows all of its properties. */
const COMPOSING = ["allOf", "if", "dependentSchemas"];
const REFERRING = ["$ref", "anyOf", "oneOf"];

/** The engine of the schema may accept patterns that no automaton matches. */
function anyPattern(source: string): Pattern {
  return patternProblem(source) === undefined ? compilePattern(source) : trustedPattern(source);
}

/** Whether a schema says which properties an object has. */
function declaresProperties(schema: JsonSchemaObject): boolean {
  const { properties, patternProperties, additionalProperties } = schema;
  return properties !== undefined || patternProperties !== undefined || additionalProperties === false;
}

/**
 * Returns a schema whose objects reject other properties, at every level. A schema that is composed, for example with
 * `allOf`, stays open: `additionalProperties: false` in one part would reject the properties of the others.
 */
export function closeSchema(schema: JsonSchema): JsonSchema {
  return isComposed(schema) ? schema : close(schema);
}

/**
 * Returns a schema whose objects accept other properties, at every level, so that a value can be matched before they are
 * dropped. `declaresProperties` is the same for both schemas. Keywords that the validator does not know are removed.
 */
function openSchema(schema: JsonSchema): JsonSchema {
  if (typeof schema === "boolean") return schema;
  const { additionalProperties: rest, ...others } = schema;
  const kept = Object.entries(rest === false ? { properties: {}, ...others } : schema).filter(([name]) =>
    keywords.has(name),
  );
  // The validator of the schema itself has accepted the patterns, or has them in its own engine.
  return { ...mapAll(Object.fromEntries(kept), openSchema), unsafePattern: true };
}

function close(schema: JsonSchema): JsonSchema {
  if (typeof schema === "boolean") return schema;
  const closed = mapAll(schema, close);
  const isOpen = declaresProperties(schema) && schema.additionalProperties === undefined;
  return isOpen ? { ...closed, additionalProperties: false } : closed;
}

function isComposed(schema: JsonSchema): boolean {
  if (typeof schema === "boolean") return false;
  const has = (name: string) => schema[name] !== undefined;
  if (COMPOSING.some(has) || (declaresProperties(schema) && REFERRING.some(has))) return true;
  return Object.entries(schema).some(([name, value]) => subschemas(name, value).some(isComposed));
}
