import type { JsonSchemaObject } from "proffer";
import { keywordOf, textOf, typesOf, type ValueType } from "./schema-node.ts";

/** The type of values that a keyword is about; it says nothing about others. */
const ABOUT: { readonly [keyword: string]: ValueType } = {
  minimum: "number",
  maximum: "number",
  exclusiveMinimum: "number",
  exclusiveMaximum: "number",
  multipleOf: "number",
  minLength: "string",
  maxLength: "string",
  pattern: "string",
  format: "string",
  minItems: "array",
  maxItems: "array",
  uniqueItems: "array",
  items: "array",
  prefixItems: "array",
  contains: "array",
  minContains: "array",
  maxContains: "array",
  unevaluatedItems: "array",
  properties: "object",
  patternProperties: "object",
  additionalProperties: "object",
  propertyNames: "object",
  required: "object",
  minProperties: "object",
  maxProperties: "object",
  dependentRequired: "object",
  dependentSchemas: "object",
  unevaluatedProperties: "object",
};

/** Whether a keyword says nothing about the values of a list of schemas, because they have other types. */
export function isVacuous(keyword: string, types: readonly ValueType[]): boolean {
  const about = ABOUT[keyword];
  return about !== undefined && !types.includes(about) && !(about === "number" && types.includes("integer"));
}

/** Keywords whose meaning depends on others beside them. */
const CONTEXTUAL = new Set([
  "additionalProperties",
  "items",
  "contains",
  "minContains",
  "maxContains",
  "if",
  "then",
  "else",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/**
 * Whether one of the schemas has the same keyword with the same value.
 * @param sharesDefinitions - whether references mean the same in both.
 */
export function hasSame(
  schemas: readonly JsonSchemaObject[],
  keyword: string,
  value: unknown,
  sharesDefinitions: boolean,
): boolean {
  if (CONTEXTUAL.has(keyword)) return false;
  const text = textOf(value);
  if (!sharesDefinitions && text.includes('"$ref"')) return false;
  return schemas.some((schema) => Object.hasOwn(schema, keyword) && textOf(keywordOf(schema, keyword)) === text);
}

/** Whether every value of some schemas is within a limit. Undefined if the keyword is not a limit. */
export function isWithin(schemas: readonly JsonSchemaObject[], keyword: string, limit: unknown): boolean | undefined {
  const value = Number(limit);
  switch (keyword) {
    case "minimum":
      return lowest(schemas).at >= value;
    case "exclusiveMinimum": {
      const { at, isExcluded } = lowest(schemas);
      return at > value || (at === value && isExcluded);
    }
    case "maximum":
      return highest(schemas).at <= value;
    case "exclusiveMaximum": {
      const { at, isExcluded } = highest(schemas);
      return at < value || (at === value && isExcluded);
    }
    case "multipleOf":
      return isMultiple(schemas, value);
    case "minLength":
    case "minItems":
      return largest(schemas, keyword) >= value;
    case "maxLength":
      return smallest(schemas, keyword) <= value;
    case "maxItems":
      return mostItems(schemas) <= value;
    case "uniqueItems":
      return limit === false || schemas.some((each) => each.uniqueItems === true) || mostItems(schemas) <= 1;
    case "minProperties": {
      const required = new Set(schemas.flatMap((each) => each.required ?? []));
      return Math.max(largest(schemas, keyword), required.size) >= value;
    }
    case "maxProperties":
      return Math.min(smallest(schemas, keyword), ...schemas.map(declaredCount)) <= value;
    default:
      return undefined;
  }
}

interface Edge {
  readonly at: number;
  readonly isExcluded: boolean;
}

function lowest(schemas: readonly JsonSchemaObject[]): Edge {
  const at = largest(schemas, "minimum", Number.NEGATIVE_INFINITY);
  const excluded = largest(schemas, "exclusiveMinimum", Number.NEGATIVE_INFINITY);
  return { at: Math.max(at, excluded), isExcluded: excluded >= at };
}

function highest(schemas: readonly JsonSchemaObject[]): Edge {
  const at = smallest(schemas, "maximum");
  const excluded = smallest(schemas, "exclusiveMaximum");
  return { at: Math.min(at, excluded), isExcluded: excluded <= at };
}

function largest(schemas: readonly JsonSchemaObject[], keyword: string, none = 0): number {
  return Math.max(none, ...numbers(schemas, keyword));
}

function smallest(schemas: readonly JsonSchemaObject[], keyword: string): number {
  return Math.min(Number.POSITIVE_INFINITY, ...numbers(schemas, keyword));
}

function numbers(schemas: readonly JsonSchemaObject[], keyword: string): number[] {
  return schemas.map((each) => keywordOf(each, keyword)).filter((value) => typeof value === "number");
}

function mostItems(schemas: readonly JsonSchemaObject[]): number {
  const closed = schemas.filter(({ items }) => items === false).map(({ prefixItems = [] }) => prefixItems.length);
  return Math.min(smallest(schemas, "maxItems"), ...closed);
}

function declaredCount({ properties = {}, patternProperties, additionalProperties }: JsonSchemaObject): number {
  const isOpen = additionalProperties !== false || patternProperties !== undefined;
  return isOpen ? Number.POSITIVE_INFINITY : Object.keys(properties).length;
}

function isMultiple(schemas: readonly JsonSchemaObject[], of: number): boolean {
  const own = numbers(schemas, "multipleOf");
  const isWhole = !typesOf(schemas).includes("number");
  // Fractions are compared only for equality: 0.3 % 0.1 is not 0.
  return [...own, ...(isWhole ? [1] : [])].some(
    (step) => step === of || (Number.isInteger(step) && Number.isInteger(of) && step % of === 0),
  );
}
