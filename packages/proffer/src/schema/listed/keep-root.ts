import type { JsonSchema, JsonSchemaObject } from "../json-schema/types.ts";
import { mapAll } from "./complete.ts";

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
