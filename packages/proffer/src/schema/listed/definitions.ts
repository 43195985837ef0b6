import { utf8Length } from "../../support/bytes.ts";
import { isAnnotation, keywords, mapAll, mapKeyword } from "../json-schema/keywords.ts";
import type { JsonSchema, JsonSchemaObject } from "../json-schema/types.ts";

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
  const inlined = new Inliner(new Map(Object.entries(definitions))).inlineAll(root);
  // The parts are shared and not copied, so that this takes linear time even if the text would not.
  return bytesOf(inlined, new Map()) < MAX_BYTES ? inlined : schema;
}

class Inliner {
  readonly #definitions: ReadonlyMap<string, JsonSchema>;
  /** The definitions with theirs in place; undefined while it is being computed. */
  readonly #inlined = new Map<string, JsonSchema | undefined>();
  /** The definitions that contain themselves. */
  readonly #recursive = new Set<string>();

  constructor(definitions: ReadonlyMap<string, JsonSchema>) {
    this.#definitions = definitions;
  }

  inlineAll(root: JsonSchemaObject): JsonSchemaObject {
    const schema = this.#inline(root) as JsonSchemaObject;
    const kept = [...this.#recursive].map((name) => [name, this.#inlined.get(name)]);
    return kept.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(kept) };
  }

  #inline(schema: JsonSchema): JsonSchema {
    if (typeof schema === "boolean") return schema;
    const entries = Object.entries(schema).map(
      ([name, value]) => [name, mapKeyword(name, value, (child) => this.#inline(child))] as const,
    );
    const name = DEFINITION.exec(schema.$ref ?? "")?.[1];
    const target = name === undefined ? undefined : this.#target(name);
    if (target === undefined) return Object.fromEntries(entries);
    const siblings = Object.fromEntries(entries.filter(([keyword]) => keyword !== "$ref"));
    if (Object.keys(siblings).every(isAnnotation))
      return typeof target === "boolean" ? target : { ...target, ...siblings };
    return { ...siblings, allOf: [...((siblings.allOf as readonly JsonSchema[] | undefined) ?? []), target] };
  }

  /** The definition with this name, or undefined if the reference must stay. */
  #target(name: string): JsonSchema | undefined {
    const definition = this.#definitions.get(name);
    if (definition === undefined) return undefined;
    if (this.#inlined.has(name)) {
      if (this.#inlined.get(name) === undefined) this.#recursive.add(name);
    } else {
      this.#inlined.set(name, undefined);
      this.#inlined.set(name, this.#inline(definition));
    }
    return this.#recursive.has(name) ? undefined : this.#inlined.get(name);
  }
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
    let isSimple = true;
    mapKeyword(keyword, value, (child) => {
      isSimple &&= refersOnlyTo(child);
      return child;
    });
    return isSimple;
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
