/** The operators of RFC 6570, section 2.2; `""` is simple string expansion. */
export type Operator = "" | "+" | "#" | "." | "/" | ";" | "?" | "&";

/** One variable of an expression. */
export interface Variable {
  readonly name: string;
  readonly operator: Operator;
  /** `{name*}`: a list, or a map, whose items stand on their own. */
  readonly explode: boolean;
  /** `{name:3}`: at most so many characters of the value. */
  readonly prefix: number | undefined;
}

/** What stands between braces. */
export interface Expression {
  readonly operator: Operator;
  readonly variables: readonly Variable[];
  /** Where its opening brace stands in the text of the template. */
  readonly position: number;
}

/** A part of a template: literal text, percent-encoded as it will stand in a URI, or an expression. */
export type Part = string | Expression;

/** How an operator expands: the table in appendix A of RFC 6570. */
export interface Expansion {
  /** What comes before the first value. */
  readonly first: string;
  readonly separator: string;
  /** Whether a value is preceded by the name of its variable. */
  readonly named: boolean;
  /** What follows the name of an empty value. */
  readonly ifEmpty: string;
  /** Whether reserved characters and percent-encoded triplets stay as they are. */
  readonly reserved: boolean;
}

export const EXPANSIONS: Readonly<Record<Operator, Expansion>> = {
  "": { first: "", separator: ",", named: false, ifEmpty: "", reserved: false },
  "+": { first: "", separator: ",", named: false, ifEmpty: "", reserved: true },
  "#": { first: "#", separator: ",", named: false, ifEmpty: "", reserved: true },
  ".": { first: ".", separator: ".", named: false, ifEmpty: "", reserved: false },
  "/": { first: "/", separator: "/", named: false, ifEmpty: "", reserved: false },
  ";": { first: ";", separator: ";", named: true, ifEmpty: "", reserved: false },
  "?": { first: "?", separator: "&", named: true, ifEmpty: "=", reserved: false },
  "&": { first: "&", separator: "&", named: true, ifEmpty: "=", reserved: false },
};

/** Writes an expression as it stands in a template. */
export function toText(expression: Expression): string {
  const specs = expression.variables.map(({ name, explode, prefix }) => {
    if (explode) return `${name}*`;
    return prefix === undefined ? name : `${name}:${prefix}`;
  });
  return `{${expression.operator}${specs.join(",")}}`;
}
