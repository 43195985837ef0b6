import { type Expandable, expandParts } from "./expand.ts";
import { checkOptions, type Match, type MatchOptions, matchPattern } from "./match.ts";
import { MAX_TEMPLATE_LENGTH, MAX_URI_LENGTH, type Part, parseParts, TemplateError, type Variable } from "./parse.ts";
import { type Pattern, toPattern } from "./pattern.ts";
import { dropEmptySegments } from "./uri-text.ts";

/** A parsed URI template. */
export interface Template<Text extends string = string> {
  readonly text: Text;
  readonly parts: readonly Part[];
  /** In the order of the template. */
  readonly variables: readonly Variable[];
  /** Why the template cannot be matched, and how to fix it. Undefined for a template that can. */
  readonly ambiguity: string | undefined;
  /** How URIs are matched, or why they cannot be. @internal */
  readonly pattern: Pattern | TemplateError;

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
  const variables = parts.flatMap((part) => (typeof part === "string" ? [] : part.variables));
  const pattern = tryPattern(text, parts);

  function match(uri: string, options: MatchOptions = DEFAULTS): Match | undefined {
    if (pattern instanceof TemplateError) throw pattern;
    if (uri.length > maxUriLength) return undefined;
    if (options !== DEFAULTS) checkOptions(text, variables, pattern, options);
    return matchPattern(pattern, options.emptySegments === "drop" ? dropEmptySegments(uri) : uri, options);
  }

  return {
    text,
    parts,
    variables,
    ambiguity: pattern instanceof TemplateError ? pattern.message : undefined,
    pattern,
    expand: (values) => expandParts(text, parts, values),
    // The pattern is made from the same text as the types, so its values have these types.
    match: match as Template<Text>["match"],
  };
}

function tryPattern(text: string, parts: readonly Part[]): Pattern | TemplateError {
  try {
    return toPattern(text, parts);
  } catch (cause) {
    if (cause instanceof TemplateError) return cause;
    throw cause;
  }
}

/** The operators whose variables a URI may omit. */
type Lead = "#" | "." | "/" | ";" | "?" | "&";

/** The variables of a template, each with its operator and modifier: `"a" | "?b" | "?c*"` for `{+a}{?b,c*}`. */
type Specs<Text extends string, Found extends string = never> = Text extends `${string}{${infer Body}}${infer Rest}`
  ? Specs<Rest, Found | SpecsOf<Body>>
  : Found;

type SpecsOf<Body extends string> = Body extends `+${infer List}`
  ? Split<List>
  : Body extends `${infer Sign extends Lead}${infer List}`
    ? `${Sign}${Split<List>}`
    : Split<Body>;

type Split<List extends string, Found extends string = never> = List extends `${infer First},${infer Rest}`
  ? Split<Rest, Found | First>
  : Found | List;

type Name<Spec extends string> = Spec extends `${Lead}${infer Rest}` ? Plain<Rest> : Plain<Spec>;

type Plain<Spec extends string> = Spec extends `${infer Text}*`
  ? Text
  : Spec extends `${infer Text}:${string}`
    ? Text
    : Spec;

type Value<Spec extends string, Maps extends string> = Spec extends `${string}*`
  ? Name<Spec> extends Maps
    ? Record<string, string>
    : string[]
  : string;

type OpenValue<Maps extends string> = string | string[] | ([Maps] extends [never] ? never : Record<string, string>);

/** The names of the variables of a template: `"id" | "limit"` for `"orders://{id}{?limit}"`. */
export type TemplateVariables<Text extends string> = string extends Text ? string : Name<Specs<Text>>;

/**
 * The values of a template's variables: `{name}` and `{+name}` are required, the others optional; an exploded variable
 * is a list, or a map if `Maps` contains it. For a text that is not a literal type, any names are allowed.
 */
export type TemplateValues<Text extends string, Maps extends string = never> = string extends Text
  ? Record<string, OpenValue<Maps>>
  : Flat<
      { [Spec in Specs<Text> as Spec extends `${Lead}${string}` ? never : Name<Spec>]: Value<Spec, Maps> } & {
        [Spec in Specs<Text> as Spec extends `${Lead}${string}` ? Name<Spec> : never]?: Value<Spec, Maps>;
      }
    >;

type Flat<Type> = { [Key in keyof Type]: Type[Key] };
