import { isObject, type JsonObject } from "../../protocol/messages.ts";
import { asText, type Cut, mapValues, Refusal } from "./cut.ts";

// What crates/agent/src/thread.rs and tools/context_server_registry.rs, and crates/language_model_core/src/tool_schema.rs
// of zed-industries/zed do for models that accept JSON Schema (7eec892, August 2026).

const MAX_NAME = 64;

function zedSchema(schema: object): object {
  const { $schema: _, title: __, description: ___, $defs, definitions, ...root } = schema as JsonObject;
  const hasDefinitions = $defs !== undefined || definitions !== undefined;
  const resolved = hasDefinitions ? (inline(root, { $defs, definitions }, []) as JsonObject) : root;
  return resolved.type === "object" ? { additionalProperties: false, properties: {}, ...resolved } : resolved;
}

function inline(value: unknown, tables: JsonObject, open: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => inline(item, tables, open));
  if (!isObject(value)) return value;
  const { $ref, ...siblings } = value;
  if (typeof $ref !== "string") return mapValues(value, (item) => inline(item, tables, open));
  if (open.includes($ref)) return {};
  const [, table = "", name = ""] = /^#\/(\$defs|definitions)\/(.*)$/.exec($ref) ?? [];
  const target = isObject(tables[table]) ? tables[table][name] : undefined;
  if (target === undefined) throw new Refusal(`the reference ${$ref} is not one to a definition`);
  return inline(isObject(target) ? { ...target, ...siblings } : target, tables, [...open, $ref]);
}

/** Of tools with the same name, the last one stays. */
export const zed: Cut = {
  names: (_server, tools) => tools.map((tool) => tool.slice(0, MAX_NAME).replaceAll(/[^A-Za-z0-9_-]/g, "_")),
  input: zedSchema,
  result({ content, isError }) {
    if (isError) return [asText(content.map((block) => (block.type === "text" ? block.text : "")).join(""))];
    return content.filter(({ type }) => type === "text" || type === "image");
  },
};
