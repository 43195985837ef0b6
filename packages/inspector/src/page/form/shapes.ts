import type { Json } from "../../protocol/data.ts";
import { isEqual, isObject, type LooseSchema, labelOf, listOf, namesOf, numberOf, stringOf } from "../text/json.ts";
import type { Choice, Shape, UnionShape } from "./field.ts";
import { flatten, typesOf, Unplanned } from "./flatten.ts";

/** From this length a text gets an area. */
const LONG_TEXT = 120;
export const NUMBER_LIMITS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const TEXT_LIMITS = ["minLength", "maxLength"];

export function limits(schema: LooseSchema, keywords: readonly string[]): { [keyword: string]: number } {
  const found = keywords.flatMap((keyword) => {
    const value = numberOf(schema[keyword]);
    return value === undefined ? [] : [[keyword, value] as const];
  });
  return Object.fromEntries(found);
}

export function textShape(schema: LooseSchema): Shape {
  const format = stringOf(schema.format);
  const pattern = stringOf(schema.pattern);
  const most = numberOf(schema.maxLength);
  const isLine = format !== undefined || pattern !== undefined || (most !== undefined && most < LONG_TEXT);
  return {
    kind: "text",
    area: !isLine,
    ...limits(schema, TEXT_LIMITS),
    ...(format !== undefined && { format }),
    ...(pattern !== undefined && { pattern }),
  };
}

const IMPLIED: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ["object", ["properties", "required", "additionalProperties", "patternProperties"]],
  ["array", ["items", "prefixItems"]],
  ["string", ["pattern", "format", "minLength", "maxLength"]],
  ["number", NUMBER_LIMITS],
];

/** The type that the keywords of a schema without `type` belong to, if it is one. */
export function impliedType(schema: LooseSchema): string | undefined {
  const found = IMPLIED.filter(([, keywords]) => keywords.some((keyword) => schema[keyword] !== undefined));
  return found.length === 1 ? found[0]?.[0] : undefined;
}

/** A choice without `null`, and whether `null` was one. */
export function choose(choices: readonly Choice[]): [Shape, boolean] {
  const unique: Choice[] = [];
  const isLong = choices.length > 1000;
  for (const choice of choices) {
    if (isLong || !unique.some(({ value }) => isEqual(value, choice.value))) unique.push(choice);
  }
  if (unique.length === 0) throw new Unplanned("the schema allows no value");
  const others = unique.filter(({ value }) => value !== null);
  if (others.length === 0) return [{ kind: "null" }, true];
  return [{ kind: "choice", choices: others }, others.length < unique.length];
}

export function isNull(schema: LooseSchema): boolean {
  return schema.const === null || isEqual(typesOf(schema.type), ["null"]);
}

/** The constants that a schema allows; undefined if it allows others. */
export function constantsOf(schema: LooseSchema): Choice[] | undefined {
  if (schema.const !== undefined) return [{ value: schema.const as Json, label: titleOf(schema) }];
  if (Array.isArray(schema.enum)) return schema.enum.length > 0 ? namedValues(schema) : undefined;
  return isNull(schema) ? [{ value: null, label: "null" }] : undefined;
}

export function titleOf(schema: LooseSchema): string {
  return stringOf(schema.title) ?? labelOf(schema.const as Json);
}

/** The choices of an `enum`; questions of older revisions have `enumNames`. */
export function namedValues(schema: LooseSchema): Choice[] {
  const names = listOf(schema.enumNames);
  return listOf(schema.enum).map((value, index) => ({
    value: value as Json,
    label: stringOf(names[index]) ?? labelOf(value as Json),
  }));
}

/** Finds a property that is another constant in each alternative. */
export function findTag(alternatives: readonly LooseSchema[], root: unknown): UnionShape["tag"] {
  const [first] = alternatives;
  if (first === undefined || !isObject(first.properties)) return undefined;
  for (const name of Object.keys(first.properties)) {
    const values = alternatives.map(({ properties }) => constantOf(properties, name, root));
    const isTag = values.every((value) => value !== undefined) && new Set(values).size === values.length;
    if (isTag) return { name, values: values as readonly Json[] };
  }
  return undefined;
}

function constantOf(properties: unknown, name: string, root: unknown): Json | undefined {
  if (!isObject(properties) || !Object.hasOwn(properties, name)) return undefined;
  try {
    const schema = flatten(properties[name], root);
    const value = Array.isArray(schema.enum) && schema.enum.length === 1 ? schema.enum[0] : schema.const;
    return typeof value === "object" ? undefined : (value as Json | undefined);
  } catch {
    return undefined;
  }
}

/** The names by which people choose; each is different. */
export function branchLabels(alternatives: readonly LooseSchema[], tag: UnionShape["tag"]): string[] {
  const seen = new Map<string, number>();
  return alternatives.map((schema, index) => {
    const value = tag?.values[index];
    const label = stringOf(schema.title) ?? (value === undefined ? describe(schema) : labelOf(value));
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    return count === 1 ? label : `${label} (${count})`;
  });
}

const MAX_NAMES = 3;

function describe(schema: LooseSchema): string {
  if (schema.const !== undefined) return labelOf(schema.const as Json);
  const names = isObject(schema.properties) ? Object.keys(schema.properties) : [];
  const required = namesOf(schema.required).filter((name) => names.includes(name));
  const shown = (required.length > 0 ? required : names).slice(0, MAX_NAMES);
  if (shown.length > 0) return `object with ${shown.join(", ")}`;
  const types = typesOf(schema.type).map((type) => (type === "string" ? (stringOf(schema.format) ?? "text") : type));
  return types.length > 0 ? types.join(" or ") : "other";
}

/** Names the type of a value and its constraints in few words. */
export function hintOf(shape: Shape): string {
  switch (shape.kind) {
    case "text":
      return join(shape.format ?? "text", range(shape.minLength, shape.maxLength, "characters"), shape.pattern);
    case "number":
      return join(
        shape.integer ? "integer" : "number",
        range(shape.minimum, shape.maximum),
        shape.exclusiveMinimum !== undefined && `above ${shape.exclusiveMinimum}`,
        shape.exclusiveMaximum !== undefined && `below ${shape.exclusiveMaximum}`,
        shape.multipleOf !== undefined && `multiple of ${shape.multipleOf}`,
      );
    case "array": {
      const least = shape.minItems > 0 ? shape.minItems : undefined;
      return join(
        shape.prefix.length > 0 ? "tuple" : "array",
        range(least, shape.maxItems, "items"),
        shape.unique && "no duplicates",
      );
    }
    case "choice":
      return shape.choices.length === 1 ? "constant" : `one of ${shape.choices.length}`;
    case "object":
      return shape.properties.length === 0 && shape.extra !== undefined ? "record" : "object";
    case "union":
      return `one of ${shape.branches.length} kinds`;
    case "json":
      return join("JSON", shape.reason);
    default:
      return shape.kind;
  }
}

function join(...words: (string | false | undefined)[]): string {
  return words.filter((word) => word !== false && word !== undefined).join(" · ");
}

function range(least: number | undefined, most: number | undefined, unit = ""): string | undefined {
  const units = unit === "" ? "" : ` ${unit}`;
  if (least !== undefined && most !== undefined)
    return least === most ? `${least}${units}` : `${least} to ${most}${units}`;
  if (least !== undefined) return `at least ${least}${units}`;
  return most === undefined ? undefined : `at most ${most}${units}`;
}
