import { without } from "../../protocol/revisions/revision.ts";
import { mapKeyword } from "../json-schema/publishable.ts";
import type { JsonSchema, JsonSchemaObject } from "../json-schema/types.ts";

/**
 * Returns a schema whose objects have `properties` and whose arrays have `items`, at every level: APIs behind several
 * clients refuse every request of a conversation with one tool that lacks them. The meaning stays the same.
 */
export function completeSchema(schema: JsonSchema): JsonSchema {
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
export function tidySchema(schema: JsonSchema): JsonSchema {
  if (typeof schema === "boolean") return schema;
  const tidy = without(mapAll(schema, tidySchema), "$schema");
  const { items, prefixItems = [], maxItems = Number.POSITIVE_INFINITY } = schema;
  if (typeof items !== "boolean") return tidy;
  return { ...tidy, items: {}, ...(!items && { maxItems: Math.min(maxItems, prefixItems.length) }) };
}

/** Returns a schema with its subschemas changed, or the same object if none changes. */
export function mapAll(
  schema: JsonSchemaObject,
  change: (schema: JsonSchema, keyword: string) => JsonSchema,
): JsonSchemaObject {
  let changed: { [keyword: string]: unknown } | undefined;
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword];
    // Most values are texts, which contain no schema.
    if (typeof value !== "object") continue;
    const mapped = mapKeyword(keyword, value, (part) => change(part, keyword));
    if (mapped === value) continue;
    changed ??= { ...schema };
    changed[keyword] = mapped;
  }
  return changed ?? schema;
}

export function includesType({ type }: JsonSchemaObject, name: string): boolean {
  return typeof type === "string" ? type === name : (type?.includes(name) ?? false);
}
