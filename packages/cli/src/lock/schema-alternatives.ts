import type { JsonSchema, JsonSchemaObject } from "proffer";
import { memberOf, type SchemaVersion, textOf } from "./schema-version.ts";

/** The alternatives of a schema: single values, and schemas of one type each where the type is known. */
export interface Alternatives {
  /** By their text. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly schemas: readonly JsonSchemaObject[];
}

const UNIONS = ["anyOf", "oneOf"] as const;
/** More levels than these are not looked into for the property that tells two alternatives apart. */
const MAX_DEPTH = 3;

/**
 * Returns the alternatives of a schema.
 * @param isStrict - whether each value must match: the alternatives of `oneOf` must then exclude each other, or the result
 * is undefined.
 */
export function alternativesOf(
  version: SchemaVersion,
  schema: JsonSchema,
  isStrict: boolean,
): Alternatives | undefined {
  const values = new Map<string, unknown>();
  const schemas: JsonSchemaObject[] = [];
  return collect(schema) ? { values, schemas } : undefined;

  function collect(each: JsonSchema): boolean {
    const found = version.follow(each);
    if (found === false) return true;
    if (found === true || found.$ref !== undefined) {
      schemas.push(found === true ? {} : found);
      return true;
    }
    const union = UNIONS.find((word) => word in found && Object.keys(found).length === 1);
    const branches = union && found[union];
    if (branches !== undefined) {
      if (isStrict && union === "oneOf" && !excludeEachOther(version, branches)) return false;
      return branches.every(collect);
    }
    for (const one of byType(found)) {
      const single = valuesOf(one);
      if (single === undefined) schemas.push(one);
      else for (const value of single) values.set(textOf(value), value);
    }
    return true;
  }
}

/** The values of a schema that consists of them; undefined of any other schema. */
function valuesOf(schema: JsonSchemaObject): readonly unknown[] | undefined {
  const { type, enum: list, const: only, ...rest } = schema;
  if (Object.keys(rest).length > 0) return undefined;
  if (list === undefined && !("const" in schema)) {
    if (type === "null") return [null];
    return type === "boolean" ? [true, false] : undefined;
  }
  if (list !== undefined && "const" in schema) return undefined;
  return (list ?? [only]).filter((value) => type === undefined || hasType(value, type));
}

/** Keywords that say nothing about values of other types. */
const ABOUT: { readonly [type: string]: readonly string[] } = {
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  string: ["minLength", "maxLength", "pattern", "format"],
  array: ["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"],
  object: [
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "required",
    "minProperties",
    "maxProperties",
    "dependentRequired",
  ],
};

const typed = new WeakMap<JsonSchemaObject, readonly JsonSchemaObject[]>();

/** Splits a schema by its types, each with the keywords that matter for it. The results are the same objects each time. */
function byType(schema: JsonSchemaObject): readonly JsonSchemaObject[] {
  if (schema.type === undefined) return [schema];
  const known = typed.get(schema);
  if (known !== undefined) return known;
  const found = [schema.type].flat().map((type) => {
    const vacuous = Object.entries(ABOUT).flatMap(([about, words]) =>
      about === type || (about === "number" && type === "integer") ? [] : words,
    );
    const kept = Object.entries(schema).filter(([keyword]) => !vacuous.includes(keyword));
    return { ...Object.fromEntries(kept), type } as JsonSchemaObject;
  });
  typed.set(schema, found);
  return found;
}

/** Whether a value has a type, or one of several. */
export function hasType(value: unknown, types: JsonSchemaObject["type"]): boolean {
  const name = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return [types].flat().some((type) => type === name || (type === "integer" && Number.isInteger(value)));
}

/** Whether a schema has a type and nothing else. */
export function isType(schema: JsonSchemaObject): boolean {
  return schema.type !== undefined && Object.keys(schema).length === 1;
}

function excludeEachOther(version: SchemaVersion, schemas: readonly JsonSchema[]): boolean {
  return schemas.every((schema, index) =>
    schemas.slice(index + 1).every((other) => areApart(version, schema, version, other)),
  );
}

/** Whether no value can match both schemas: their types or values differ, or those of a property that both require. */
export function areApart(
  first: SchemaVersion,
  one: JsonSchema,
  second: SchemaVersion,
  other: JsonSchema,
  depth = 0,
): boolean {
  if (depth > MAX_DEPTH) return false;
  const [a, b] = [alternativesOf(first, one, false), alternativesOf(second, other, false)];
  if (a === undefined || b === undefined) return false;
  const mayMatch = (value: unknown, { type }: JsonSchemaObject) => type === undefined || hasType(value, type);
  return (
    [...a.values].every(([text, value]) => !b.values.has(text) && !b.schemas.some((each) => mayMatch(value, each))) &&
    [...b.values.values()].every((value) => !a.schemas.some((each) => mayMatch(value, each))) &&
    a.schemas.every((x) => b.schemas.every((y) => haveOtherTypes(x, y) || haveOtherTags(x, y)))
  );

  function haveOtherTags(x: JsonSchemaObject, y: JsonSchemaObject): boolean {
    if (x.type !== "object" || y.type !== "object") return false;
    const shared = (x.required ?? []).filter((name) => y.required?.includes(name));
    return shared.some((name) => {
      const [p, q] = [memberOf(x.properties, name), memberOf(y.properties, name)];
      return p !== undefined && q !== undefined && areApart(first, p, second, q, depth + 1);
    });
  }
}

function haveOtherTypes({ type: one }: JsonSchemaObject, { type: other }: JsonSchemaObject): boolean {
  if (one === undefined || other === undefined) return false;
  const asNumber = (type: unknown) => (type === "integer" ? "number" : type);
  return asNumber(one) !== asNumber(other);
}

/** The alternatives for a line of output: their values and types, or whole schemas if these say too little. */
export function summaryOf({ values, schemas }: Alternatives): unknown {
  const named = schemas.map((each) => (isType(each) ? each.type : each));
  const all = [...values.values(), ...named];
  return all.length === 1 ? all[0] : all.map((each) => (each === null ? "null" : each));
}
