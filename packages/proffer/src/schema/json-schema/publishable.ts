import { keywords, profferKeywords } from "./keywords.ts";
import type { JsonSchema } from "./types.ts";

/** Returns a schema without the keywords that only Proffer defines, or the same object if it has none. */
export function publishable(schema: JsonSchema): JsonSchema {
  if (typeof schema === "boolean") return schema;
  let changed = false;
  const entries: [string, unknown][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const stripped = profferKeywords.has(keyword) ? undefined : stripKeyword(keyword, value);
    if (stripped !== value) changed = true;
    if (stripped !== undefined) entries.push([keyword, stripped]);
  }
  return changed ? Object.fromEntries(entries) : schema;
}

function stripKeyword(keyword: string, value: unknown): unknown {
  switch (keywords.get(keyword)) {
    case "schema":
      return publishable(value as JsonSchema);
    case "schemaList": {
      const list = value as readonly JsonSchema[];
      const stripped = list.map(publishable);
      return stripped.some((item, i) => item !== list[i]) ? stripped : value;
    }
    case "schemaMap": {
      const entries = Object.entries(value as Record<string, JsonSchema>);
      const stripped = entries.map(([name, item]) => [name, publishable(item)] as const);
      return stripped.some(([, item], i) => item !== entries[i]?.[1]) ? Object.fromEntries(stripped) : value;
    }
    default:
      return value;
  }
}
