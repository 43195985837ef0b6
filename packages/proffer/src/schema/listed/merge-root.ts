import { without } from "../../protocol/revisions/revision.ts";
import type { JsonSchema, JsonSchemaObject } from "../json-schema/types.ts";
import { includesType } from "./complete.ts";
import { DEFINITION, refersOnlyTo } from "./definitions.ts";
import { keepRoot } from "./keep-root.ts";
import { type Branch, mergeProperty, onlyWith, tagOf } from "./merge-property.ts";

const COMBINING = ["$ref", "allOf", "anyOf", "oneOf"] as const;

/**
 * Returns an input schema whose root is one object with the properties of all alternatives, because Claude and OpenAI
 * refuse tools with a union there. The result accepts every value that the schema accepts, and more: a property is
 * required if every alternative requires it, and has the types that it has in any of them.
 */
export function mergeRoot(schema: JsonSchemaObject): JsonSchemaObject {
  if (!COMBINING.some((keyword) => schema[keyword] !== undefined) || !refersOnlyTo(schema)) return schema;
  const { $defs, ...root } = keepRoot(schema);
  const { properties, required, isOpen, descriptions } = flatten(root, new Map(Object.entries($defs ?? {})), new Set());
  const description = [...new Set(descriptions)].join("\n");
  const { additionalProperties: rest } = root;
  return {
    ...without(root, ...COMBINING, "properties", "required", "additionalProperties", "unevaluatedProperties"),
    ...(description !== "" && { description }),
    properties: Object.fromEntries(properties),
    ...(required.size > 0 && { required: [...required] }),
    ...(isOpen ? typeof rest === "object" && { additionalProperties: rest } : { additionalProperties: false }),
    ...($defs !== undefined && { $defs }),
  };
}

/** An object of any structure as one list of properties. */
interface Flat extends Branch {
  readonly properties: ReadonlyMap<string, JsonSchema>;
  readonly required: ReadonlySet<string>;
  readonly isOpen: boolean;
  readonly descriptions: readonly string[];
}

const ANYTHING: Flat = { properties: new Map(), required: new Set(), isOpen: true, descriptions: [] };

/** `open` has the references that lead here: one that leads to itself says nothing more. */
function flatten(schema: JsonSchema, definitions: ReadonlyMap<string, JsonSchema>, open: ReadonlySet<string>): Flat {
  if (typeof schema === "boolean") return ANYTHING;
  const { properties = {}, required = [], additionalProperties, patternProperties, description, $ref } = schema;
  const own: Flat = {
    properties: new Map(Object.entries(properties)),
    required: new Set(required),
    isOpen: additionalProperties !== false || patternProperties !== undefined,
    descriptions: description === undefined ? [] : [description],
  };
  const parts = [own, ...(schema.allOf ?? []).map((part) => flatten(part, definitions, open))];
  const name = DEFINITION.exec($ref ?? "")?.[1] ?? "";
  const target = definitions.get(name);
  if (target !== undefined && !open.has(name)) parts.push(flatten(target, definitions, new Set([...open, name])));
  for (const alternatives of [schema.anyOf, schema.oneOf]) {
    const objects = alternatives?.filter((one) => typeof one === "boolean" || !excludesObjects(one));
    if (objects?.length) parts.push(either(objects.map((one) => flatten(one, definitions, open))));
  }
  return parts.reduce(both);
}

function excludesObjects(schema: JsonSchemaObject): boolean {
  return schema.type !== undefined && !includesType(schema, "object");
}

function both(one: Flat, other: Flat): Flat {
  const properties = new Map(one.properties);
  for (const [name, schema] of other.properties) {
    const known = properties.get(name);
    const isSame = known === undefined || JSON.stringify(known) === JSON.stringify(schema);
    properties.set(name, isSame ? schema : { allOf: [known, schema] });
  }
  return {
    properties,
    required: new Set([...one.required, ...other.required]),
    isOpen: one.isOpen && other.isOpen,
    descriptions: [...one.descriptions, ...other.descriptions],
  };
}

function either(branches: readonly Flat[]): Flat {
  const tag = tagOf(branches);
  const names = new Set(branches.flatMap(({ properties }) => [...properties.keys()]));
  const properties = [...names].map((name) => {
    const merged = mergeProperty(name, branches);
    return [name, tag === undefined ? merged : onlyWith(tag, name, merged, branches)] as const;
  });
  return {
    properties: new Map(properties),
    required: new Set([...names].filter((name) => branches.every(({ required }) => required.has(name)))),
    isOpen: branches.some(({ isOpen }) => isOpen),
    descriptions: branches.flatMap(({ descriptions }) => descriptions),
  };
}
