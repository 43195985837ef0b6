import { UsageError } from "../support/usage-error.ts";
import type { Template } from "../uri/template.ts";
import type { Param, ParamSource } from "./params/param.ts";
import { ANY_TEXT } from "./params/path.ts";
import { toParam } from "./params/to-param.ts";

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
      throw new UsageError(
        "bad_option",
        `Resource ${uri}: params has ${JSON.stringify(name)}, but the uri has no {${name}}.`,
      );
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
