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
