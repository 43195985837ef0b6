import { compileJsonSchema } from "proffer/derived";
import type { Problem } from "../protocol/call.ts";
import type { JsonObject } from "../protocol/json.ts";
import { isObject } from "../support/values.ts";

/** Finds where the result of a tool breaks its output schema. */
export function checkResult(description: JsonObject, result: JsonObject): readonly Problem[] {
  const { outputSchema } = description;
  if (!isObject(outputSchema) || result.isError === true) return [];
  if (result.structuredContent === undefined) {
    return [{ pointer: "", message: "has no structuredContent, although the tool has an output schema" }];
  }
  try {
    const issues = compileJsonSchema(outputSchema).issues(result.structuredContent);
    return issues.map(({ pointer, message }) => ({ pointer: `/structuredContent${pointer}`, message }));
  } catch (error) {
    // The schema of another server may have keywords that the validator does not know.
    return [{ pointer: "", message: `cannot be compared with the output schema: ${(error as Error).message}` }];
  }
}
