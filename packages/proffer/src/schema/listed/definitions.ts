import { without } from "../../protocol/revisions/revision.ts";
import { utf8Length } from "../../support/bytes.ts";
import { isAnnotation, keywords, mapAll, subschemas } from "../json-schema/keywords.ts";
import type { JsonSchema, JsonSchemaMap, JsonSchemaObject } from "../json-schema/types.ts";

/** In bytes. Codex removes descriptions and definitions of larger schemas. */
const MAX_BYTES = 5000;
/** More definitions than these cannot fit, and following them all could exceed the stack. */
const MAX_DEFINITIONS = 250;

export const DEFINITION = /^#\/\$defs\/([^/~%]+)$/;

/**
 * Returns a schema with its definitions in place of the references to them, because several clients do not resolve
 * references. A definition that contains itself stays. If the result would have 5,000 bytes or more, the schema stays as
 * it is: definitions that refer to each other twice double with each level.
 */
export function inlineDefinitions(schema: JsonSchemaObject): JsonSchemaObject {
  const { $defs: definitions, ...root } = schema;
  if (definitions === undefined || Object.keys(definitions).length > MAX_DEFINITIONS || !refersOnlyTo(schema)) {
    return schema;
  }
  const inlined = inlineAll(root, definitions);
  // The parts are shared and not copied, so that this takes linear time even if the text would not.
  return bytesOf(inlined, new Map()) < MAX_BYTES ? inlined : schema;
}

function inlineAll(root: JsonSchemaObject, definitions: JsonSchemaMap): JsonSchemaObject {
  /** The definitions with theirs in place; undefined while it is being computed. */
  const known = new Map<string, JsonSchema | undefined>();
  /** The definitions that contain themselves. */
  const recursive = new Set<string>();

  function inline(schema: JsonSchema): JsonSchema {
    if (typeof schema === "boolean") return schema;
    const inlined = mapAll(schema, inline);
    const target = targetOf(schema);
    if (target === undefined) return inlined;
    const siblings = without(inlined, "$ref");
    if (Object.keys(siblings).every(isAnnotation))
      return typeof target === "boolean" ? target : { ...target, ...siblings };
    return { ...siblings, allOf: [...(siblings.allOf ?? []), target] };
  }

  /** The definition that a schema refers to, or undefined if the reference must stay. */
  function targetOf({ $ref = "" }: JsonSchemaObject): JsonSchema | undefined {
    const name = DEFINITION.exec($ref)?.[1];
    if (name === undefined || !Object.hasOwn(definitions, name)) return undefined;
    if (known.has(name)) {
      if (known.get(name) === undefined) recursive.add(name);
    } else {
      known.set(name, undefined);
      known.set(name, inline(definitions[name] as JsonSchema));
    }
    return recursive.has(name) ? undefined : known.get(name);
  }

  const schema = inline(root) as JsonSchemaObject;
  const kept = [...recursive].map((name) => [name, known.get(name)]);
  return kept.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(kept) };
}

/**
 * Whether the schema refers only to itself as a whole and to its definitions, so that its parts can move. Keywords that
 * are not known may contain references that would be missed.
 */
export function refersOnlyTo(schema: JsonSchema): boolean {
  if (typeof schema === "boolean") return true;
  return Object.entries(schema).every(([keyword, value]) => {
    if (keyword === "$ref") return value === "#" || DEFINITION.test(String(value));
    if (keyword === "$anchor" || keyword === "$id" || keyword === "contentSchema") return false;
    if (!keywords.has(keyword)) return keyword.startsWith("x-") || typeof value !== "object";
    return subschemas(keyword, value).every(refersOnlyTo);
  });
}

/** The size of a value as JSON, in linear time even if its parts are shared. */
function bytesOf(value: unknown, known: Map<object, number>): number {
  if (typeof value !== "object" || value === null) return utf8Length(JSON.stringify(value) ?? "");
  const counted = known.get(value);
  if (counted !== undefined) return counted;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  let bytes = 1 + Math.max(1, entries.length);
  for (const [name, item] of entries) {
    bytes += bytesOf(item, known) + (Array.isArray(value) ? 0 : utf8Length(JSON.stringify(name)) + 1);
  }
  known.set(value, bytes);
  return bytes;
}

/**
 * Copies the root to a definition if the schema refers to its root. Zed refuses such a reference beside definitions, and
 * the root may change.
 */
export function keepRoot(schema: JsonSchemaObject): JsonSchemaObject {
  let isUsed = false;
  let name = "root";
  while (Object.hasOwn(schema.$defs ?? {}, name)) name += "_";
  const redirect = (part: JsonSchema): JsonSchema => {
    if (typeof part === "boolean") return part;
    const mapped = mapAll(part, redirect);
    if (part.$ref !== "#") return mapped;
    isUsed = true;
    return { ...mapped, $ref: `#/$defs/${name}` };
  };
  const redirected = redirect(schema) as JsonSchemaObject;
  if (!isUsed) return schema;
  const { $defs, ...root } = redirected;
  return { ...root, $defs: { ...$defs, [name]: root } };
}
