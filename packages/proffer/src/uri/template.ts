import { checkOptions } from "./check-options.ts";
import { type Expandable, expandParts } from "./expand.ts";
import type { Part, Variable } from "./expression.ts";
import { MAX_URI_LENGTH, matchPlan } from "./match.ts";
import { MAX_TEMPLATE_LENGTH, parseParts } from "./parse.ts";
import { type Plan, toPlan } from "./plan.ts";
import type { Match, MatchOptions } from "./reading.ts";
import { dropEmptySegments } from "./segments.ts";
import { TemplateError } from "./template-error.ts";
import type { TemplateValues, TemplateVariables } from "./template-types.ts";

export { TemplateError, type TemplateValues, type TemplateVariables };

/** A parsed URI template. */
export interface Template<Text extends string = string> {
  readonly text: Text;
  readonly parts: readonly Part[];
  /** In the order of the template. */
  readonly variables: readonly Variable[];
  /** Why the template cannot be matched, and how to fix it. Undefined for a template that can. */
  readonly ambiguity: string | undefined;

  /** Builds a URI. @throws {TemplateError} for a value that has no expansion. */
  expand(values: { readonly [Name in TemplateVariables<Text>]?: Expandable }): string;

  /**
   * Extracts the values of a URI; returns undefined if the URI does not match. Defects of a matching URI are in the
   * `faults` of the match. @throws {TemplateError} for an ambiguous template.
   */
  match<const Maps extends TemplateVariables<Text> = never>(
    uri: string,
    options?: MatchOptions<Maps>,
  ): Match<TemplateValues<Text, Maps>> | undefined;
}

export interface TemplateOptions {
  /** The maximum length of the template. Default: 2,048. */
  readonly maxLength?: number;
  /** The maximum length of a URI; a longer URI matches nothing. Default: 16,384. */
  readonly maxUriLength?: number;
}

const DEFAULTS: MatchOptions = {};

/**
 * Parses a URI template, RFC 6570 level 4. @throws {TemplateError} for a malformed or too long template.
 *
 * @example
 * const template = parseTemplate("orders://{id}{?limit}");
 * template.expand({ id: 7, limit: 5 }); // "orders://7?limit=5"
 * template.match("orders://7?limit=5")?.values; // { id: "7", limit: "5" }
 */
export function parseTemplate<const Text extends string>(text: Text, limits: TemplateOptions = {}): Template<Text> {
  const { maxLength = MAX_TEMPLATE_LENGTH, maxUriLength = MAX_URI_LENGTH } = limits;
  const parts = parseParts(text, maxLength);
  const variables = variablesOf(parts);
  const plan = tryPlan(text, parts);
  const template = {
    text,
    parts,
    variables,
    ambiguity: plan instanceof TemplateError ? plan.message : undefined,
    expand(values: Readonly<Record<string, unknown>>): string {
      return expandParts(text, parts, values);
    },
    match(uri: string, options: MatchOptions = DEFAULTS): Match | undefined {
      if (plan instanceof TemplateError) throw plan;
      if (uri.length > maxUriLength) return undefined;
      if (options === DEFAULTS) return matchPlan(plan, uri, options);
      checkOptions(text, variables, plan, options);
      return matchPlan(plan, options.emptySegments === "drop" ? dropEmptySegments(uri) : uri, options);
    },
  };
  // The plan is made from the same text as the types, so its values have these types.
  return template as Template<Text>;
}

function tryPlan(text: string, parts: readonly Part[]): Plan | TemplateError {
  try {
    return toPlan(text, parts);
  } catch (cause) {
    if (cause instanceof TemplateError) return cause;
    throw cause;
  }
}

function variablesOf(parts: readonly Part[]): Variable[] {
  return parts.flatMap((part) => (typeof part === "string" ? [] : part.variables));
}
