import { type JsonSchemaObject, UsageError } from "proffer";
import { compileJsonSchema, MAX_SCHEMAS } from "proffer/derived";
import type { DerivedSchema } from "../model/json-schema.ts";
import { countSchemas, describeSize } from "../types/schema-size.ts";
import type { Candidate } from "./exports.ts";
import type { Session } from "./session.ts";

/** A schema of a function, and what it describes: "input", "output", or an argument. */
export type NamedSchema = readonly [what: string, schema: JsonSchemaObject | undefined];

/**
 * Reports the schemas that the run-time would reject when the server starts. Returns whether there is none, so that a
 * function beyond a limit is left out alone.
 */
export function fitsLimits(session: Session, { name, node }: Candidate, schemas: readonly NamedSchema[]): boolean {
  let fits = true;
  for (const [what, schema] of schemas) {
    const error = schema && rejection(schema);
    if (error === undefined) continue;
    fits = false;
    const subject = `the ${what} of '${name}'`;
    if (countSchemas(schema as DerivedSchema) > MAX_SCHEMAS) session.report("PF1110", node, describeSize(subject));
    else session.report("PF1111", node, `${subject}: ${withoutTrust(error.message)}`);
  }
  return fits;
}

function rejection(schema: JsonSchemaObject): UsageError | undefined {
  try {
    compileJsonSchema(schema);
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

/** Removes the advice that only schemas written by hand can follow; no tag writes that keyword. */
function withoutTrust(message: string): string {
  return message.replace(/,? or add "unsafePattern": .*$/, ", or limit the length with @maxLength.");
}
