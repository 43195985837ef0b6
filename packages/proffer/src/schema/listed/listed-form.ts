import { without } from "../../protocol/revisions/revision.ts";
import { includesType, mapAll } from "../json-schema/keywords.ts";
import type { JsonSchema, JsonSchemaObject } from "../json-schema/types.ts";
import type { Schema } from "../schema.ts";
import { describeConstraints } from "./constraint-words.ts";
import { inlineDefinitions, keepRoot } from "./definitions.ts";
import { mergeRoot } from "./merge-root.ts";

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
  return inlineDefinitions(side === "input" ? mergeRoot(complete) : complete);
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
