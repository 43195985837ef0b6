import type { JsonSchema, JsonSchemaObject } from "proffer";
import { isAnnotation } from "proffer/derived";

const MAX_HOPS = 20;
const OTHER_REFERENCE = /"\$ref":"#(?!\/\$defs\/)/;

/** One version of a schema, without the keywords that only describe values, and with its references. */
export class SchemaVersion {
  readonly root: JsonSchema;

  constructor(schema: JsonSchema) {
    this.root = withoutAnnotations(schema);
  }

  /** Whether equal references of two versions name equal schemas. */
  sharesReferences({ root }: SchemaVersion): boolean {
    const [own, other] = [this.root, root].map((each) => textOf(typeof each === "object" ? (each.$defs ?? {}) : {}));
    // Any other reference depends on the whole schema.
    return own === other && !OTHER_REFERENCE.test(textOf(this.root)) && !OTHER_REFERENCE.test(textOf(root));
  }

  /** The schema that a reference names; undefined if it cannot be resolved. */
  resolve(reference: string): JsonSchema | undefined {
    if (reference === "#") return this.root;
    if (!reference.startsWith("#/")) return undefined;
    let found: unknown = this.root;
    for (const token of reference.slice(2).split("/")) {
      const name = decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
      found = (found as { readonly [name: string]: unknown })[name];
    }
    return typeof found === "object" || typeof found === "boolean" ? (found as JsonSchema) : undefined;
  }

  /** The schema behind a schema that is only a reference, so that a type has one identity wherever it is used. */
  follow(schema: JsonSchema): JsonSchema {
    let found = schema;
    for (let hops = 0; typeof found === "object" && found.$ref !== undefined && hops < MAX_HOPS; hops++) {
      const target = Object.keys(found).length > 1 ? undefined : this.resolve(found.$ref);
      if (target === undefined) return found;
      found = target;
    }
    return found;
  }
}

/** The schema in a map of schemas; undefined if the map has no such name. */
export function memberOf(map: { readonly [name: string]: JsonSchema } | undefined, name: string) {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}

const texts = new WeakMap<object, string>();

/** Serializes a value with sorted keys. */
export function textOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const text = texts.get(value) ?? serialize(value);
  texts.set(value, text);
  return text;
}

function serialize(value: object): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${textOf(item)}`).join()}}`;
}

/**
 * Whether a keyword describes a schema only. `x-mcp-header` does not: a call without the header is refused. `$defs` does,
 * but references need it.
 */
function isDescription(keyword: string): boolean {
  return isAnnotation(keyword) && keyword !== "$defs" && keyword !== "x-mcp-header";
}

const SCHEMA_LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const SCHEMA_MAPS = new Set(["$defs", "dependentSchemas", "patternProperties", "properties"]);
const SCHEMAS = new Set([
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** Returns a schema without the keywords that only describe it, at every level. */
function withoutAnnotations(schema: JsonSchema): JsonSchema {
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => !isDescription(keyword));
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, strip(keyword, value)])) as JsonSchemaObject;
}

function strip(keyword: string, value: unknown): unknown {
  if (SCHEMAS.has(keyword)) return withoutAnnotations(value as JsonSchema);
  if (SCHEMA_LISTS.has(keyword) && Array.isArray(value)) return value.map(withoutAnnotations);
  if (!SCHEMA_MAPS.has(keyword) || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutAnnotations(part)]));
}
