/** The operators of RFC 6570, section 2.2; `""` is simple string expansion. */
export type Operator = "" | "+" | "#" | "." | "/" | ";" | "?" | "&";

/** One variable of an expression. */
export interface Variable {
  readonly name: string;
  readonly operator: Operator;
  /** `{name*}`: each item of a list or map is expanded separately. */
  readonly explode: boolean;
  /** `{name:3}`: the maximum number of characters of the value. */
  readonly prefix: number | undefined;
}

/** One expression in braces. */
export interface Expression {
  readonly operator: Operator;
  readonly variables: readonly Variable[];
  /** The position of the opening brace in the template. */
  readonly position: number;
}

/** A part of a template: percent-encoded literal text, or an expression. */
export type Part = string | Expression;

/** How an operator expands: the table in appendix A of RFC 6570. */
export interface Expansion {
  /** The text before the first value. */
  readonly first: string;
  readonly separator: string;
  /** Whether the name of the variable precedes its value. */
  readonly named: boolean;
  /** The text after the name of an empty value. */
  readonly ifEmpty: string;
  /** Whether reserved characters and percent-encoded triplets are kept unencoded. */
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

/** Formats an expression as template text. */
export function toText(expression: Expression): string {
  const specs = expression.variables.map(({ name, explode, prefix }) => {
    if (explode) return `${name}*`;
    return prefix === undefined ? name : `${name}:${prefix}`;
  });
  return `{${expression.operator}${specs.join(",")}}`;
}
