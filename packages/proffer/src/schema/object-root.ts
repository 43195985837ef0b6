import type { JsonSchema, JsonSchemaMap } from "./json-schema/types.ts";
import type { Schema } from "./schema.ts";

const MAX_DEPTH = 20;

/**
 * Adds `type: "object"` to the root, which the protocol requires of arguments. Schema libraries leave it out of unions
 * and intersections of objects. A JSON Schema that the author wrote stays as written.
 */
export function withObjectRoot(schema: Schema): Schema {
  const { json, isWritten } = schema;
  if (isWritten || json.type !== undefined || !isObjectSchema(json, json.$defs, 0)) return schema;
  return { ...schema, json: { type: "object", ...json } };
}

function isObjectSchema(schema: JsonSchema | undefined, definitions: JsonSchemaMap = {}, depth: number): boolean {
  if (typeof schema !== "object" || depth > MAX_DEPTH) return false;
  const { type, anyOf, oneOf, allOf, $ref } = schema;
  const isObject = (part: JsonSchema | undefined) => isObjectSchema(part, definitions, depth + 1);
  return (
    type === "object" ||
    [anyOf, oneOf].some((list) => list?.every(isObject)) ||
    (allOf?.some(isObject) ?? false) ||
    ($ref?.startsWith("#/$defs/") === true && isObject(definitions[$ref.slice(8)]))
  );
}
