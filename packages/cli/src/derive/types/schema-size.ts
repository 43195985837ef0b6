import { MAX_SCHEMAS } from "proffer/derived";
import { type DerivedSchema, forEachSubschema } from "../model/json-schema.ts";

/** Returns the message for a type with more than `MAX_SCHEMAS` subschemas. */
export function describeSize(subject: string): string {
  const remedy = "Declare a type with only the properties that you use, for example with Pick or Omit.";
  return `${subject} has a type with more than ${MAX_SCHEMAS} subschemas. ${remedy}`;
}

/** Counts the subschemas of a final schema, as the run-time does. */
export function countSchemas(schema: DerivedSchema): number {
  return countAll([schema, ...Object.values(schema.$defs ?? {})], () => true);
}

/** Counts the subschemas that a definition adds to a schema, at least: a reference may become its target. */
export function countOwnSchemas(schema: DerivedSchema): number {
  return countAll([schema], ({ $ref }) => $ref === undefined);
}

function countAll(schemas: DerivedSchema[], isCounted: (schema: DerivedSchema) => boolean): number {
  let count = schemas.length;
  for (const schema of schemas) {
    // The run-time counts `false` too.
    if (schema.additionalProperties === false) count++;
    forEachSubschema(schema, (inner) => {
      if (isCounted(inner)) count += countAll([inner], isCounted);
    });
  }
  return count;
}
