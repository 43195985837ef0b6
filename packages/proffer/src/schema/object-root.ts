import type { JsonSchema, JsonSchemaMap } from "./json-schema/types.ts";
import type { Schema } from "./schema.ts";

/**
 * Adds `type: "object"` to the root, which the protocol requires of arguments. Schema libraries leave it out of unions
 * and intersections of objects. A JSON Schema that the author wrote stays as written.
 */
export function withObjectRoot(schema: Schema): Schema {
  const { json, isWritten } = schema;
  if (isWritten || json.type !== undefined || !isObjectSchema(json, json.$defs)) return schema;
  return { ...schema, json: { type: "object", ...json } };
}

/** A reference that leads back to itself runs out of levels. */
function isObjectSchema(schema: JsonSchema | undefined, definitions: JsonSchemaMap = {}, levels = 20): boolean {
  if (typeof schema !== "object") return false;
  const { type, anyOf, oneOf, allOf, $ref } = schema;
  if (type !== undefined || levels === 0) return type === "object";
  const parts = anyOf ?? oneOf ?? allOf ?? ($ref ? [definitions[$ref.slice(8)]] : []);
  return parts.length > 0 && parts.every((part) => isObjectSchema(part, definitions, levels - 1));
}
