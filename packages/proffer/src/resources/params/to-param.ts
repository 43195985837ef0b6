import { isStandardSchema, type StandardSchema } from "../../schema/standard-schema.ts";
import { UsageError } from "../../support/usage-error.ts";
import { createParam, isParam, type Param, ParamIssue, type ParamSource } from "./param.ts";
import { pattern } from "./pattern.ts";

/** Makes a parameter of whatever `params` holds for a variable. `where` names it in complaints. */
export function toParam(source: ParamSource, where: string): Param {
  if (isParam(source)) return source;
  if (source instanceof RegExp) return pattern(source);
  if (isStandardSchema(source)) return fromSchema(source);
  throw new UsageError(
    "bad_option",
    `${where} must be a regular expression, one of integer() charset() pattern() uuid() oneOf() path() date(), or a Standard Schema.`,
  );
}

/** A Standard Schema decides for itself what it makes of a value that is left out. */
function fromSchema(schema: StandardSchema): Param {
  const { validate } = schema["~standard"];
  const unwrap = (outcome: Awaited<ReturnType<typeof validate>>): unknown => {
    if (outcome.issues === undefined) return outcome.value;
    return new ParamIssue("schema", outcome.issues.map((issue) => issue.message).join("; "));
  };
  const param = createParam({}, (value) => {
    const outcome = validate(value);
    return outcome instanceof Promise ? outcome.then(unwrap) : unwrap(outcome);
  });
  return { ...param, checksAbsence: true };
}
