import { mapKeyword } from "../schema/json-schema/keywords.ts";
import type { JsonSchema, JsonSchemaObject } from "../schema/json-schema/types.ts";
import { utf8Length } from "../support/bytes.ts";

/** In bytes. A larger schema would cost more than its references. */
const MAX_BYTES = 20_000;
const DEFINITION = /^#\/\$defs\/([^/]+)$/;

/**
 * Returns a schema without references, for clients that do not resolve them. A type that contains itself accepts
 * anything from its second level on. `oneOf` becomes `anyOf`, which more clients know.
 */
export function resolveReferences(schema: JsonSchemaObject): JsonSchemaObject {
  const { $defs = {}, ...root } = schema;
  let bytes = 0;
  const resolve = (part: JsonSchema, open: readonly string[]): JsonSchema => {
    if (typeof part === "boolean" || bytes > MAX_BYTES) return part;
    const { $ref, oneOf, ...rest } = part;
    const kept = { ...rest, ...(oneOf !== undefined && (rest.anyOf === undefined ? { anyOf: oneOf } : { oneOf })) };
    const entries = Object.entries(kept).map(([keyword, value]) => {
      const mapped = mapKeyword(keyword, value, (child) => resolve(child, open));
      if (typeof mapped !== "object") bytes += utf8Length(JSON.stringify([keyword, mapped]));
      return [keyword, mapped] as const;
    });
    const own = Object.fromEntries(entries);
    if ($ref === undefined) return own;
    const name = DEFINITION.exec($ref)?.[1] ?? "";
    const target = Object.hasOwn($defs, name) && !open.includes(name) ? $defs[name] : undefined;
    if (target === undefined) return own;
    const resolved = resolve(target, [...open, name]);
    return typeof resolved === "boolean" ? resolved : { ...resolved, ...own };
  };
  const resolved = resolve(root, []) as JsonSchemaObject;
  return bytes > MAX_BYTES ? schema : resolved;
}
