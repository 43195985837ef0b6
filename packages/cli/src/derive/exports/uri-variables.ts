import { parseTemplate, TemplateError, type Variable } from "proffer/uri";

/** A variable of a URI template. */
export interface TemplateVariable {
  readonly name: string;
  /** A query or matrix parameter, which a URI may omit. */
  readonly isOptional: boolean;
  /** Exploded: it has any number of values. */
  readonly isList: boolean;
}

/** The length is limited by the server that the resource is added to. */
const UNLIMITED = { maxLength: Number.POSITIVE_INFINITY };

/**
 * Reads the variables of a URI template, or returns a sentence with the problem. An ambiguous template is not a problem
 * here: the run-time rejects it when the server is created.
 */
export function parseVariables(text: string): readonly TemplateVariable[] | string {
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(text)) {
    return `"${text}" does not start with a scheme. Write @resource scheme://path/{variable}.`;
  }
  try {
    return toVariables(parseTemplate(text, UNLIMITED).variables);
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}

function toVariables(variables: readonly Variable[]): readonly TemplateVariable[] | string {
  const names = variables.map(({ name }) => name);
  const unusable = names.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (unusable !== undefined) return `{${unusable}} cannot be the name of a parameter. Rename the variable.`;
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) return `{${repeated}} occurs twice. Rename one of the variables.`;
  return variables.map(({ name, operator, explode }) => ({
    name,
    isOptional: operator === ";" || operator === "?" || operator === "&",
    isList: explode,
  }));
}
