import { decodePart, isEqual, isObject, type LooseSchema, listOf, namesOf, numberOf, tokensOf } from "../text/json.ts";

/** A schema that no form can show, and why. */
export class Unplanned extends Error {}

/** More references and parts than this in one place are not looked at: the schema is a server's. */
const MAX_STEPS = 500;
const MAX_DEPTH = 50;

/**
 * Resolves `$ref` and merges `allOf` of one schema, without its children. Annotations of the outer schema win.
 * @throws {Unplanned} if the parts contradict each other or are too many
 */
export function flatten(schema: unknown, root: unknown): LooseSchema {
  let steps = 0;

  function visit(part: unknown, depth: number): LooseSchema {
    if (++steps > MAX_STEPS || depth > MAX_DEPTH) throw new Unplanned("it refers to too many other schemas");
    if (part === true || part === undefined) return {};
    if (part === false) throw new Unplanned("the schema allows no value");
    if (!isObject(part)) throw new Unplanned("the schema is malformed");
    const { $ref, allOf, ...rest } = part;
    let result: LooseSchema = rest;
    if (typeof $ref === "string") result = merge(result, visit(resolve($ref, root), depth + 1));
    for (const other of listOf(allOf)) result = merge(result, visit(other, depth + 1));
    return result;
  }

  return visit(schema, 0);
}

function resolve(ref: string, root: unknown): unknown {
  if (ref === "#") return root;
  let node = root;
  if (ref.startsWith("#/")) {
    for (const name of tokensOf(decodePart(ref.slice(1)))) {
      node =
        typeof node === "object" && node !== null && Object.hasOwn(node, name) ? Reflect.get(node, name) : undefined;
    }
  } else {
    node = isObject(root) ? findAnchor(root, ref) : undefined;
  }
  if (node === undefined) throw new Unplanned(`it refers to ${ref}, which the schema does not have`);
  return node;
}

/** Anchors are looked for where generators put them: among the definitions. */
function findAnchor(root: LooseSchema, ref: string): unknown {
  const definitions = [root.$defs, root.definitions].filter(isObject).flatMap((defs) => Object.values(defs));
  return definitions.find(
    (schema) =>
      isObject(schema) && (ref === `#${String(schema.$anchor)}` || (schema.$id !== undefined && ref === schema.$id)),
  );
}

const LIMITS: readonly (readonly [keyword: string, choose: (a: number, b: number) => number])[] = [
  ...["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"].map((name) => [name, Math.max] as const),
  ...["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"].map((name) => [name, Math.min] as const),
];
const BOTH = ["items", "additionalProperties"];

/** Merges two schemas of one value. @throws {Unplanned} if no plain schema says the same */
export function merge(outer: LooseSchema, inner: LooseSchema): LooseSchema {
  const merged: { [keyword: string]: unknown } = { ...inner, ...outer };
  for (const [keyword, choose] of LIMITS) {
    const [a, b] = [numberOf(outer[keyword]), numberOf(inner[keyword])];
    if (a !== undefined && b !== undefined) merged[keyword] = choose(a, b);
  }
  for (const keyword of BOTH) {
    if (outer[keyword] === undefined || inner[keyword] === undefined) continue;
    const isClosed = outer[keyword] === false || inner[keyword] === false;
    merged[keyword] = isClosed ? false : { allOf: [outer[keyword], inner[keyword]] };
  }
  if (outer.type !== undefined && inner.type !== undefined) merged.type = sharedTypes(outer.type, inner.type);
  if (outer.enum !== undefined && inner.enum !== undefined) {
    merged.enum = listOf(outer.enum).filter((value) => listOf(inner.enum).some((other) => isEqual(value, other)));
  }
  if (outer.required !== undefined && inner.required !== undefined) {
    merged.required = [...new Set([...namesOf(outer.required), ...namesOf(inner.required)])];
  }
  if (isObject(outer.properties) && isObject(inner.properties)) {
    merged.properties = mergeProperties(outer.properties, inner.properties);
  }
  for (const keyword of ["anyOf", "oneOf", "prefixItems", "const"]) {
    if (outer[keyword] === undefined || inner[keyword] === undefined || isEqual(outer[keyword], inner[keyword]))
      continue;
    throw new Unplanned(`it has "${keyword}" twice`);
  }
  return merged;
}

function mergeProperties(outer: LooseSchema, inner: LooseSchema): LooseSchema {
  const merged = new Map(Object.entries(outer));
  for (const [name, schema] of Object.entries(inner)) {
    const known = merged.get(name);
    merged.set(name, known === undefined ? schema : { allOf: [known, schema] });
  }
  return Object.fromEntries(merged);
}

function sharedTypes(a: unknown, b: unknown): string[] {
  const others = typesOf(b);
  const shared = typesOf(a).flatMap((type) => {
    if (others.includes(type)) return [type];
    if (type === "number" && others.includes("integer")) return ["integer"];
    return type === "integer" && others.includes("number") ? ["integer"] : [];
  });
  if (shared.length === 0) throw new Unplanned("its parts allow different types, so no value matches");
  return shared;
}

export function typesOf(type: unknown): string[] {
  return typeof type === "string" ? [type] : namesOf(type);
}
