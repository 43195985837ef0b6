import { checkOptions, type Match, type MatchOptions, matchPattern } from "./match.ts";
import {
  EXPANSIONS,
  type Expansion,
  MAX_TEMPLATE_LENGTH,
  MAX_URI_LENGTH,
  type Part,
  parseParts,
  quote,
  TemplateError,
  type Variable,
} from "./parse.ts";
import { type Pattern, toPattern } from "./pattern.ts";
import { dropEmptySegments, encodeReserved, encodeUnreserved } from "./uri-text.ts";

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

export type Scalar = string | number | bigint | boolean;

/** A value for a variable. `undefined`, `null`, an empty list and an empty map omit the variable. */
export type Expandable =
  | Scalar
  | null
  | undefined
  | readonly (Scalar | null | undefined)[]
  | { readonly [key: string]: Scalar | null | undefined };

/** Expands the parts of a template: RFC 6570, section 3. @throws {TemplateError} for a value that has no expansion. */
function expandParts(text: string, parts: readonly Part[], values: Readonly<Record<string, unknown>>): string {
  let uri = "";
  for (const part of parts) {
    if (typeof part === "string") {
      uri += part;
      continue;
    }
    const expansion = EXPANSIONS[part.operator];
    let lead = expansion.first;
    for (const variable of part.variables) {
      const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined;
      let expanded: string | undefined;
      try {
        expanded = expandVariable(variable, expansion, value);
      } catch (cause) {
        throw new TemplateError(text, part.position, problemOf(cause, variable.name));
      }
      if (expanded === undefined) continue;
      uri += lead + expanded;
      lead = expansion.separator;
    }
  }
  return uri;
}

function problemOf(cause: unknown, name: string): string {
  // encodeURIComponent fails only for lone surrogates.
  const reason =
    cause instanceof URIError ? "contains a lone surrogate. Pass well-formed text" : (cause as Error).message;
  return `the value of ${quote(name)} ${reason}.`;
}

function expandVariable(variable: Variable, expansion: Expansion, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "object") {
    return withName(variable.name, expandString(variable, expansion, toScalar(value)), expansion);
  }
  const members = toMembers(value);
  if (members.length === 0) return undefined;
  if (variable.prefix !== undefined) throw new Error("is a list or a map, but a prefix needs a string. Pass a string");
  const encode = expansion.reserved ? encodeReserved : encodeUnreserved;
  if (!variable.explode) {
    const items = members.map(([key, item]) => (key === undefined ? encode(item) : `${encode(key)},${encode(item)}`));
    return withName(variable.name, items.join(","), expansion);
  }
  const items = members.map(([key, item]) => {
    if (key === undefined) return withName(variable.name, encode(item), expansion);
    if (expansion.named) return withName(encode(key), encode(item), expansion);
    return `${encode(key)}=${encode(item)}`;
  });
  return items.join(expansion.separator);
}

function expandString(variable: Variable, expansion: Expansion, value: string): string {
  const text = variable.prefix === undefined ? value : Array.from(value).slice(0, variable.prefix).join("");
  return expansion.reserved ? encodeReserved(text) : encodeUnreserved(text);
}

function withName(name: string, value: string, expansion: Expansion): string {
  if (!expansion.named) return value;
  return value === "" ? name + expansion.ifEmpty : `${name}=${value}`;
}

type Member = readonly [key: string | undefined, item: string];

/** Returns the members of a list (without keys) or of a map (with keys). */
function toMembers(value: object): Member[] {
  const entries: [string | undefined, unknown][] = Array.isArray(value)
    ? value.map((item) => [undefined, item])
    : toEntries(value);
  return entries.filter(([, item]) => item !== undefined && item !== null).map(([key, item]) => [key, toScalar(item)]);
}

function toEntries(value: object): [string, unknown][] {
  // A Date or a Map has no own enumerable properties and would be omitted silently.
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return Object.entries(value);
  throw new Error("is neither a list nor a plain object. Convert it to one, or to a string");
}

function toScalar(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value);
  throw new Error(
    `contains a value of type ${typeof value}. Pass strings, numbers or booleans, or a list or map of them`,
  );
}
