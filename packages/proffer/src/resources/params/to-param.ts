import { isStandardSchema, type StandardSchema } from "../../schema/schema.ts";
import { UsageError } from "../../support/usage-error.ts";
import { createParam, isParam, type Param, ParamIssue, type ParamSource } from "./param.ts";
import { pattern } from "./pattern.ts";

/** Converts a declaration in `params` to a parameter. `where` names it in error messages. */
export function toParam(source: ParamSource, where: string): Param {
  if (isParam(source)) return source;
  if (source instanceof RegExp) return pattern(source);
  if (isStandardSchema(source)) return fromSchema(source);
  throw new UsageError(
    "bad_option",
    `${where} must be a regular expression, a Standard Schema, or a check such as param.integer() or param.path().`,
  );
}

/** A Standard Schema also validates omitted values (as undefined), so that its default or `optional()` applies. */
function fromSchema(schema: StandardSchema): Param {
  const { validate } = schema["~standard"];
  const unwrap = (outcome: Awaited<ReturnType<typeof validate>>): unknown => {
    if (outcome.issues === undefined) return outcome.value;
    return new ParamIssue("schema", outcome.issues.map((issue) => issue.message).join("; "));
  };
  const param = createParam(
    {},
    (value) => {
      const outcome = validate(value);
      // A promise need not be an instance of Promise. As a result it would have no issues: anything would be valid.
      return "then" in outcome ? Promise.resolve(outcome).then(unwrap) : unwrap(outcome);
    },
    schema,
  );
  return { ...param, checksAbsence: true };
}
