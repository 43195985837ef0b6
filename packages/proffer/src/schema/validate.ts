import { escapeToken } from "../support/json-pointer.ts";
import { compileIndex } from "./json-schema/compile.ts";
import type { SchemaIndex } from "./json-schema/schema-index.ts";
import type { CompiledSchema, SchemaIssue } from "./json-schema/types.ts";
import { type Schema, type StandardIssue, type StandardResult, ValidationError } from "./schema.ts";

const compiled = new WeakMap<SchemaIndex, CompiledSchema>();

/**
 * Validates a value and returns it. A library may transform it, and may return a promise.
 * @throws {ValidationError} with every issue.
 */
export function validate({ validator }: Schema, value: unknown): unknown {
  if (typeof validator !== "function") return check(validator, value);
  const outcome = validator(value);
  // A promise need not be an instance of Promise. As a result it would have no issues: anything would be valid.
  return "then" in outcome ? Promise.resolve(outcome).then(unwrap) : unwrap(outcome);
}

function check(index: SchemaIndex, value: unknown): unknown {
  let schema = compiled.get(index);
  if (schema === undefined) {
    schema = compileIndex(index);
    compiled.set(index, schema);
  }
  if (schema.check(value)) return value;
  throw new ValidationError(schema.issues(value));
}

function unwrap(outcome: StandardResult<unknown>): unknown {
  if (outcome.issues) throw new ValidationError(outcome.issues.map(toIssue));
  return outcome.value;
}

function toIssue(issue: StandardIssue): SchemaIssue {
  const keys = (issue.path ?? []).map((step) => (typeof step === "object" ? step.key : step));
  const pointer = keys.map((key) => `/${escapeToken(String(key))}`).join("");
  return { pointer, message: issue.message };
}
