import type { JsonSchema, JsonSchemaObject } from "proffer";
import { keywordOf, type SchemaVersion } from "./schema-node.ts";

/** Schemas that all apply to the same values. */
export type Conjunction = readonly JsonSchemaObject[];

/**
 * Returns the schemas that all apply, with references and `allOf` replaced. Undefined if no value matches; "unknown" if a
 * reference cannot be resolved.
 */
export function flatten(version: SchemaVersion, schemas: readonly JsonSchema[]): Conjunction | undefined | "unknown" {
  const found = new Set<JsonSchemaObject>();
  const seen = new Set<JsonSchema>();
  const waiting = [...schemas];
  for (let schema = waiting.shift(); schema !== undefined; schema = waiting.shift()) {
    if (schema === false) return undefined;
    if (schema === true || seen.has(schema)) continue;
    seen.add(schema);
    const { $ref, allOf } = schema;
    const target = $ref === undefined ? true : version.resolve($ref);
    if (target === undefined || Object.hasOwn(schema, "$dynamicRef")) return "unknown";
    if ($ref === undefined && allOf === undefined) found.add(schema);
    else {
      found.add(without(schema, "$ref", "allOf"));
      waiting.push(target, ...(allOf ?? []));
    }
  }
  return [...found];
}

const stripped = new WeakMap<JsonSchemaObject, Map<string, JsonSchemaObject>>();

/** Returns a schema without some keywords, the same object each time. */
function without(schema: JsonSchemaObject, ...keywords: readonly string[]): JsonSchemaObject {
  const known = stripped.get(schema) ?? new Map<string, JsonSchemaObject>();
  stripped.set(schema, known);
  const key = keywords.join();
  const rest = Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword));
  const made = known.get(key) ?? (Object.fromEntries(rest) as JsonSchemaObject);
  known.set(key, made);
  return made;
}

/** Splits the first union of a conjunction. `oneOf` counts as `anyOf`: the alternatives may only be more values. */
export function alternativesOf(schemas: Conjunction): readonly (readonly JsonSchema[])[] | undefined {
  for (const schema of schemas) {
    for (const keyword of ["anyOf", "oneOf"] as const) {
      const branches = schema[keyword];
      if (branches === undefined) continue;
      const others = schemas.map((each) => (each === schema ? without(schema, keyword) : each));
      return branches.map((branch) => [...others, branch]);
    }
  }
  return undefined;
}

/** The keywords that others of a schema need to keep their meaning. */
export function contextOf(
  schema: JsonSchemaObject,
  kept: readonly (readonly [string, unknown])[],
): [string, unknown][] {
  const names = new Set(kept.map(([keyword]) => keyword));
  const needs: [string, readonly string[]][] = [
    ["additionalProperties", ["properties", "patternProperties"]],
    ["items", ["prefixItems"]],
  ];
  return needs
    .filter(([keyword]) => names.has(keyword))
    .flatMap(([, context]) => context)
    .filter((keyword) => !names.has(keyword) && Object.hasOwn(schema, keyword))
    .map((keyword) => [keyword, keywordOf(schema, keyword)]);
}
