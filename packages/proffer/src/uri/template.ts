import { checkOptions } from "./check-options.ts";
import { type Expandable, expandParts } from "./expand.ts";
import { matchPlan } from "./match.ts";
import { MAX_TEMPLATE_LENGTH, MAX_URI_LENGTH } from "./parse.ts";
import { type ParsedTemplate, planOf, readTemplate } from "./parsed-template.ts";
import type { Match, MatchOptions } from "./reading.ts";
import { dropEmptySegments } from "./segments.ts";
import { TemplateError } from "./template-error.ts";
import type { TemplateValues, TemplateVariables } from "./template-types.ts";

export { TemplateError, type TemplateValues, type TemplateVariables };

/** A parsed URI template. */
export interface Template<Text extends string = string> extends ParsedTemplate<Text> {
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
  const parsed = readTemplate(text, maxLength);
  const template = {
    ...parsed,
    expand: (values: Values) => expandTemplate(parsed, values),
    match: (uri: string, options?: MatchOptions) => matchTemplate(parsed, uri, options, maxUriLength),
  };
  // The plan is made from the same text as the types, so its values have these types.
  return template as Template<Text>;
}

type Values = Readonly<Record<string, unknown>>;

/** Builds a URI. @throws {TemplateError} for a value that has no expansion. */
export function expandTemplate({ text, parts }: ParsedTemplate, values: Values): string {
  return expandParts(text, parts, values);
}

/** Extracts the values of a URI, like `match` of a template. */
export function matchTemplate(
  template: ParsedTemplate,
  uri: string,
  options: MatchOptions = DEFAULTS,
  maxUriLength = Number.POSITIVE_INFINITY,
): Match | undefined {
  const plan = planOf(template);
  if (uri.length > maxUriLength) return undefined;
  if (options === DEFAULTS) return matchPlan(plan, uri, options);
  checkOptions(template.text, template.variables, plan, options);
  return matchPlan(plan, options.emptySegments === "drop" ? dropEmptySegments(uri) : uri, options);
}
