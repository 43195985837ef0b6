import { isStandardSchema, type StandardSchema } from "../schema/schema.ts";
import { UsageError } from "../support/usage-error.ts";
import type { Template } from "../uri/template.ts";
import { createParam, isParam, type Param, ParamIssue, type ParamSource } from "./param.ts";
import { ANY_TEXT, pattern } from "./param-kinds.ts";

/** The checked values that a handler receives, by variable name. */
export type Params = Record<string, unknown>;

/** A template variable and its check. */
export interface CheckedVariable {
  readonly name: string;
  readonly param: Param;
}

/** The checks for the variables of a template. */
export interface ParamChecks {
  /** Path variables, in the order of the template. */
  readonly path: readonly CheckedVariable[];
  /** Declared query variables, in the order of their declaration. */
  readonly query: readonly CheckedVariable[];
  /** The keys that the query accepts. */
  readonly keys: readonly string[];
}

const NO_CHECKS: ParamChecks = { path: [], query: [], keys: [] };

/** Creates the checks for a template. @throws {UsageError} for a parameter that is not a variable of the template. */
export function toParamChecks(
  template: Template | undefined,
  declared: { readonly [name: string]: ParamSource },
  uri: string,
): ParamChecks {
  const variables = template?.variables ?? [];
  const names = new Set(variables.map(({ name }) => name));
  const params = new Map<string, Param>();
  for (const [name, source] of Object.entries(declared)) {
    if (!names.has(name)) {
      throw new UsageError(`Resource ${uri}: params has ${JSON.stringify(name)}, but the uri has no {${name}}.`);
    }
    params.set(name, toParam(source, `Resource ${uri}: params.${name}`));
  }
  if (template === undefined) return NO_CHECKS;
  const inQuery = variables.filter(({ operator }) => operator === "?" || operator === "&").map(({ name }) => name);
  const inPath = [...names].filter((name) => !inQuery.includes(name));
  return {
    path: inPath.map((name) => ({ name, param: params.get(name) ?? ANY_TEXT })),
    // A query value is not used as a path, so an undeclared one may be any text.
    query: [...params].filter(([name]) => inQuery.includes(name)).map(([name, param]) => ({ name, param })),
    keys: inQuery,
  };
}

/** Converts a declaration in `params` to a parameter. `where` names it in error messages. */
function toParam(source: ParamSource, where: string): Param {
  if (isParam(source)) return source;
  if (source instanceof RegExp) return pattern(source);
  if (isStandardSchema(source)) return fromSchema(source);
  throw new UsageError(
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
