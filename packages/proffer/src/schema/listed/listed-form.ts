import type { JsonSchemaObject } from "../json-schema/types.ts";
import type { Schema } from "../schema.ts";
import { completeSchema, tidySchema } from "./complete.ts";
import { describeConstraints } from "./constraint-words.ts";
import { inlineDefinitions } from "./definitions.ts";
import { keepRoot } from "./keep-root.ts";
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
