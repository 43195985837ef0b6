import type { Part, Variable } from "./expression.ts";
import { parseParts } from "./parse.ts";
import { type Plan, toPlan } from "./plan.ts";
import { TemplateError } from "./template-error.ts";

/** A URI template as data. Other modules expand and match it, so that a server can be defined without them. */
export interface ParsedTemplate<Text extends string = string> {
  readonly text: Text;
  readonly parts: readonly Part[];
  /** In the order of the template. */
  readonly variables: readonly Variable[];
  /** Why the template cannot be matched, and how to fix it. Undefined for a template that can. */
  readonly ambiguity: string | undefined;
  /** How URIs are matched, or why they cannot be. @internal */
  readonly plan: Plan | TemplateError;
}

/** Parses a URI template. @throws {TemplateError} for a malformed or too long one. */
export function readTemplate<const Text extends string>(text: Text, maxLength: number): ParsedTemplate<Text> {
  const parts = parseParts(text, maxLength);
  const variables = parts.flatMap((part) => (typeof part === "string" ? [] : part.variables));
  const plan = tryPlan(text, parts);
  return { text, parts, variables, ambiguity: plan instanceof TemplateError ? plan.message : undefined, plan };
}

/** The plan of a template. @throws {TemplateError} if it is ambiguous. */
export function planOf({ plan }: ParsedTemplate): Plan {
  if (plan instanceof TemplateError) throw plan;
  return plan;
}

function tryPlan(text: string, parts: readonly Part[]): Plan | TemplateError {
  try {
    return toPlan(text, parts);
  } catch (cause) {
    if (cause instanceof TemplateError) return cause;
    throw cause;
  }
}
