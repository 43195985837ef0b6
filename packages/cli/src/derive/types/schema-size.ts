import { MAX_SCHEMAS } from "proffer/derived";
import { type DerivedSchema, forEachSubschema } from "../model/json-schema.ts";

/** Returns the message for a type with more than `MAX_SCHEMAS` subschemas. */
export function describeSize(subject: string): string {
  const remedy = "Declare a type with only the properties that you use, for example with Pick or Omit.";
  return `${subject} has a type with more than ${MAX_SCHEMAS} subschemas. ${remedy}`;
}

/** Counts the subschemas of a final schema, as the run-time does. */
export function countSchemas(schema: DerivedSchema): number {
  let count = 0;
  function visit(part: DerivedSchema): void {
    // The run-time counts `false` too.
    count += part.additionalProperties === false ? 2 : 1;
    forEachSubschema(part, visit);
  }
  for (const part of [schema, ...Object.values(schema.$defs ?? {})]) visit(part);
  return count;
}
