import type { JsonSchema, JsonSchemaObject } from "../json-schema/types.ts";
import { mapAll } from "./complete.ts";
import { addSentence } from "./sentence.ts";
import { wordsFor } from "./words.ts";

/** Keywords whose schemas must not match, or only decide about others: their constraints are not those of the value. */
const ELSEWHERE: ReadonlySet<string> = new Set(["not", "if", "contains", "propertyNames"]);
/** Keywords whose schemas describe the same value, which the description around them is about. */
const SAME_VALUE: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "items", "prefixItems"]);

/**
 * Returns an input schema whose descriptions also state its constraints and defaults, because several clients drop these
 * keywords before the model sees the schema. A constraint that a description already mentions is not repeated.
 */
export function describeConstraints(schema: JsonSchemaObject): JsonSchemaObject {
  // The arguments as a whole have the description of the tool.
  return mapAll(schema, (part) => describe(part, ""));
}

/** `said` has the descriptions around the schema that are about its value. Returns the same object if nothing changes. */
function describe(schema: JsonSchema, said: string): JsonSchema {
  if (typeof schema === "boolean") return schema;
  const text = `${said} ${schema.description ?? ""}`;
  const described = mapAll(schema, (part, keyword) => {
    if (ELSEWHERE.has(keyword)) return part;
    return describe(part, SAME_VALUE.has(keyword) ? text : "");
  });
  const words = wordsFor(schema, text);
  if (words.length === 0) return described;
  return { ...described, description: addSentence(schema.description, words.join(", ")) };
}
