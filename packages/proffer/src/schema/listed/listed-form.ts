import { isObject } from "../../protocol/messages.ts";
import { without } from "../../protocol/revisions/revision.ts";
import { includesType, mapAll } from "../json-schema/keywords.ts";
import type { JsonSchema, JsonSchemaObject } from "../json-schema/types.ts";
import type { Schema } from "../schema.ts";
import { addSentence, describeConstraints } from "./constraint-words.ts";
import { DEFINITION, inlineDefinitions, keepRoot, refersOnlyTo } from "./definitions.ts";

/**
 * Returns a schema in the form that is listed, which every known client accepts. It may accept more than the schema, but
 * never less; arguments and results are validated with the schema itself. A JSON Schema that the author wrote stays as
 * written, except for `properties`, `items` and descriptions.
 */
export function listedForm(
  { json, isWritten }: Pick<Schema, "json" | "isWritten">,
  side: "input" | "output",
): JsonSchemaObject {
  const described = side === "input" ? describeConstraints(json) : json;
  if (isWritten) return completeSchema(described) as JsonSchemaObject;
  const tidy = completeSchema(tidySchema(described)) as JsonSchemaObject;
  const complete = tidy.$defs === undefined ? tidy : keepRoot(tidy);
  if (side === "output") return inlineDefinitions(complete);
  return simplifyUnions(inlineDefinitions(mergeRoot(complete))) as JsonSchemaObject;
}

/**
 * Returns a schema whose objects have `properties` and whose arrays have `items`, at every level: APIs behind several
 * clients refuse every request of a conversation with one tool that lacks them. The meaning stays the same.
 */
function completeSchema(schema: JsonSchema): JsonSchema {
  if (typeof schema === "boolean") return schema;
  const complete = mapAll(schema, completeSchema);
  const lacksProperties = includesType(schema, "object") && schema.properties === undefined;
  // All items would count as evaluated.
  const lacksItems =
    includesType(schema, "array") && schema.items === undefined && schema.unevaluatedItems === undefined;
  if (!lacksProperties && !lacksItems) return complete;
  return { ...complete, ...(lacksProperties && { properties: {} }), ...(lacksItems && { items: {} }) };
}

/**
 * Returns a schema that no author wrote, without `$schema` and with `items` that are an object: `{}` after a closed
 * tuple, whose length is limited instead.
 */
function tidySchema(schema: JsonSchema): JsonSchema {
  if (typeof schema === "boolean") return schema;
  const tidy = without(mapAll(schema, tidySchema), "$schema");
  const { items, prefixItems = [], maxItems = Number.POSITIVE_INFINITY } = schema;
  if (typeof items !== "boolean") return tidy;
  return { ...tidy, items: {}, ...(!items && { maxItems: Math.min(maxItems, prefixItems.length) }) };
}

const COMBINING = ["$ref", "allOf", "anyOf", "oneOf"] as const;

/**
 * Returns an input schema whose root is one object with the properties of all alternatives, because Claude and OpenAI
 * refuse tools with a union there. The result accepts every value that the schema accepts, and more: a property is
 * required if every alternative requires it, and has the types that it has in any of them.
 */
function mergeRoot(schema: JsonSchemaObject): JsonSchemaObject {
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

/** Keywords that accept less if their schemas accept more. */
const REVERSED: ReadonlySet<string> = new Set(["not", "if", "contains"]);

/**
 * Returns a schema with `anyOf` and `enum` instead of `oneOf` and `const`, which frameworks between a server and a model
 * drop with the whole union. Alternatives with a tag become one object like the root, because others merge them without
 * their tags, and refuse valid calls.
 */
function simplifyUnions(schema: JsonSchema): JsonSchema {
  if (typeof schema === "boolean") return schema;
  const mapped = mapAll(schema, (part, keyword) => (REVERSED.has(keyword) ? part : simplifyUnions(part)));
  const entries = Object.entries(mapped).map(([keyword, value]) =>
    keyword === "oneOf" ? ["anyOf", value] : keyword === "const" ? ["enum", [value]] : [keyword, value],
  );
  const simple: JsonSchemaObject = Object.fromEntries(entries);
  if (!canMerge(simple)) return simple;
  return { type: simple.anyOf?.some(isNull) ? ["object", "null"] : "object", ...mergeRoot(simple) };
}

function isNull(schema: JsonSchema): boolean {
  return typeof schema === "object" && schema.type === "null";
}

/** Whether one object can have the alternatives of a union, with their types and the words about the tag. */
function canMerge({ anyOf = [] }: JsonSchemaObject): boolean {
  const objects = anyOf.filter((one) => !isNull(one));
  if (!objects.every((one) => typeof one === "object" && one.type === "object")) return false;
  const branches = objects.map((one) => flatten(one, new Map(), new Set()));
  return (
    (branches.length === 1 || tagOf(branches) !== undefined) &&
    !branches.some(({ isOpen }) => isOpen) &&
    !/"\$ref"/.test(JSON.stringify(anyOf))
  );
}

/** An object of any structure as one list of properties. */
interface Flat {
  readonly properties: ReadonlyMap<string, JsonSchema>;
  readonly required: ReadonlySet<string>;
  /** Whether it accepts properties that it does not name. */
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

/** A property that tells the alternatives apart: its constant in each of them. */
interface Tag {
  readonly name: string;
  readonly values: readonly Constant[];
}

type Constant = string | number | boolean;

/** Returns the schema of a property that is valid in any of the alternatives. */
function mergeProperty(name: string, branches: readonly Flat[]): JsonSchema {
  const distinct = new Map<string, JsonSchema>();
  for (const { properties, isOpen } of branches) {
    const schema = properties.get(name) ?? (isOpen ? {} : undefined);
    if (schema !== undefined) distinct.set(JSON.stringify(schema), schema);
  }
  const schemas = [...distinct.values()];
  const [only] = schemas;
  if (only === undefined || schemas.length === 1) return only ?? {};
  return mergeConstants(schemas) ?? { anyOf: schemas };
}

/** Joins `const` and `enum` of one type to one `enum`, which every client understands. */
function mergeConstants(schemas: readonly JsonSchema[]): JsonSchemaObject | undefined {
  const values = new Set<Constant>();
  const descriptions = new Set<string>();
  for (const schema of schemas) {
    const own = constantsOf(schema);
    if (own === undefined || !isObject(schema)) return undefined;
    for (const value of own) values.add(value);
    if (typeof schema.description === "string") descriptions.add(schema.description);
  }
  const types = new Set([...values].map((value) => typeof value));
  if (types.size > 1) return undefined;
  const description = [...descriptions].reduce<string | undefined>(addSentence, undefined);
  return { type: [...types].join(), enum: [...values], ...(description !== undefined && { description }) };
}

function constantsOf(schema: JsonSchema | undefined): readonly Constant[] | undefined {
  if (!isObject(schema)) return undefined;
  const values: unknown = schema.const === undefined ? schema.enum : [schema.const];
  const isConstant = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);
  return Array.isArray(values) && values.length > 0 && values.every(isConstant) ? values : undefined;
}

/** The property that every alternative requires with another constant, if there is one. */
function tagOf(branches: readonly Flat[]): Tag | undefined {
  for (const name of branches[0]?.required ?? []) {
    const values = branches.map(({ properties, required }) => {
      const own = required.has(name) ? constantsOf(properties.get(name)) : undefined;
      return own?.length === 1 ? own[0] : undefined;
    });
    const isTag = values.every((value) => value !== undefined) && new Set(values).size === branches.length;
    if (isTag) return { name, values: values as Constant[] };
  }
  return undefined;
}

/** Says in the description of a property which alternatives have it or require it, if not all do. */
function onlyWith({ name: tag, values }: Tag, name: string, schema: JsonSchema, branches: readonly Flat[]) {
  if (name === tag || typeof schema === "boolean") return schema;
  const those = (test: (branch: Flat) => boolean) => {
    const some = values.filter((_, i) => test(branches[i] as Flat));
    return some.length === 0 || some.length === values.length ? undefined : some.map((one) => JSON.stringify(one));
  };
  const having = those(({ properties }) => properties.has(name));
  const requiring = those(({ required }) => required.has(name));
  const isSame = having?.join() === requiring?.join();
  const words = [
    having && `${isSame ? "required, and only" : "only"} with ${tag} ${having.join(" or ")}`,
    requiring && !isSame && `required with ${tag} ${requiring.join(" or ")}`,
  ].filter((part) => typeof part === "string");
  if (words.length === 0) return schema;
  return { ...schema, description: addSentence(schema.description, words.join("; ")) };
}
