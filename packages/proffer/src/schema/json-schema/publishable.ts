import { keywords, profferKeywords } from "./keywords.ts";
import type { JsonSchema } from "./types.ts";

/** Returns a schema without the keywords that only Proffer defines, or the same object if it has none. */
export function publishable(schema: JsonSchema): JsonSchema {
  if (typeof schema === "boolean") return schema;
  let changed = false;
  const entries: [string, unknown][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const stripped = profferKeywords.has(keyword) ? undefined : mapKeyword(keyword, value, publishable);
    if (stripped !== value) changed = true;
    if (stripped !== undefined) entries.push([keyword, stripped]);
  }
  return changed ? Object.fromEntries(entries) : schema;
}

/** Returns the value of a keyword with its subschemas changed, or the same value if none changes. */
export function mapKeyword(keyword: string, value: unknown, change: (schema: JsonSchema) => JsonSchema): unknown {
  switch (keywords.get(keyword)) {
    case "schema":
      return change(value as JsonSchema);
    case "schemaList": {
      const list = value as readonly JsonSchema[];
      const changed = list.map(change);
      return changed.some((item, i) => item !== list[i]) ? changed : value;
    }
    case "schemaMap": {
      const entries = Object.entries(value as Record<string, JsonSchema>);
      const changed = entries.map(([name, item]) => [name, change(item)] as const);
      return changed.some(([, item], i) => item !== entries[i]?.[1]) ? Object.fromEntries(changed) : value;
    }
    default:
      return value;
  }
}
