import { decode, encodeReserved } from "./uri-text.ts";

/** The maximum length of template text in a message. */
const MAX_QUOTED = 200;

/** A template that cannot be parsed, expanded, matched or routed. The message contains the position and the fix. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
  /** The text of the template. */
  readonly template: string;
  /** The position of the problem in the text, counted from 0. */
  readonly position: number;

  constructor(template: string, position: number, problem: string) {
    super(`Template ${quote(template)}, position ${position}: ${problem}`);
    this.template = template;
    this.position = position;
  }
}

/** Quotes a text for a message: control characters are escaped, and a long text is truncated. */
export function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
}

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

/** The default maximum length of a template. */
export const MAX_TEMPLATE_LENGTH = 2048;

/** The default maximum length of a URI; a longer URI matches nothing. */
export const MAX_URI_LENGTH = 16_384;

const OPERATORS = "+#./;?&";
/** RFC 6570, section 2.2: reserved for extensions. */
const RESERVED_OPERATORS = "=,!@|";
/**
 * RFC 6570, section 2.1, except the apostrophe, which RFC 3986 allows and real templates contain. With \p{Cc} and \p{Cs}
 * in place of the ranges, V8 takes six times as long to compile it, which delays the start of a server.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters on purpose
const NOT_LITERAL = /[\u0000-\u001f\u007f-\u009f\ud800-\udfff "<>\\^`|}]|%(?![0-9A-Fa-f]{2})/u;
const NAME = /^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*/;
const PREFIX = /^:([1-9][0-9]{0,3})$/;
const CONTROL = /\p{Cc}/u;

/** Parses a template into its parts. @throws {TemplateError} for a template that RFC 6570 does not allow. */
export function parseParts(text: string, maxLength: number): Part[] {
  if (text.length > maxLength) {
    throw new TemplateError(text, maxLength, `the template has more than ${maxLength} characters.`);
  }
  const parts: Part[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("{", at);
    const end = open === -1 ? text.length : open;
    if (end > at) parts.push(parseLiteral(text, at, end));
    if (open === -1) break;
    const close = text.indexOf("}", open);
    if (close === -1) throw new TemplateError(text, open, `the expression is not closed. Add "}".`);
    parts.push(parseExpression(text, open, close));
    at = close + 1;
  }
  return parts;
}

function parseLiteral(text: string, start: number, end: number): string {
  const literal = text.slice(start, end);
  const found = NOT_LITERAL.exec(literal);
  if (found === null) return encodeReserved(literal);
  throw new TemplateError(text, start + found.index, literalProblem(found[0]));
}

function literalProblem(char: string): string {
  if (char === "}") return `"}" without a matching "{". Write %7D, or add "{".`;
  if (char === "%") return `"%" must be followed by two hexadecimal digits. Write %25 for a percent sign.`;
  return `${quote(char)} is not allowed in a URI. Percent-encode it.`;
}

function parseExpression(text: string, open: number, close: number): Expression {
  const sign = text.charAt(open + 1);
  if (RESERVED_OPERATORS.includes(sign)) {
    throw new TemplateError(
      text,
      open + 1,
      `the operator "${sign}" is reserved by RFC 6570. Use one of ${OPERATORS}, or none.`,
    );
  }
  const operator = (OPERATORS.includes(sign) ? sign : "") as Operator;
  const variables: Variable[] = [];
  let at = open + 1 + operator.length;
  for (const spec of text.slice(at, close).split(",")) {
    variables.push(parseVariable(text, at, spec, operator));
    at += spec.length + 1;
  }
  return { operator, variables, position: open };
}

function parseVariable(text: string, position: number, spec: string, operator: Operator): Variable {
  const name = NAME.exec(spec)?.[0];
  if (name === undefined) {
    const found = spec === "" ? "nothing" : quote(spec);
    throw new TemplateError(text, position, `expected a variable name, found ${found}. ${NAME_RULE}`);
  }
  checkName(text, position, name);
  const modifier = spec.slice(name.length);
  if (modifier === "") return { name, operator, explode: false, prefix: undefined };
  if (modifier === "*") return { name, operator, explode: true, prefix: undefined };
  const prefix = PREFIX.exec(modifier)?.[1];
  if (prefix !== undefined) return { name, operator, explode: false, prefix: Number(prefix) };
  const problem = modifier.startsWith(":")
    ? `invalid prefix ${quote(modifier)}. A prefix is ":" and a number from 1 to 9999, without "*".`
    : `${quote(modifier)} cannot follow the name ${quote(name)}. ${NAME_RULE}`;
  throw new TemplateError(text, position + name.length, problem);
}

const NAME_RULE =
  'A name consists of letters, digits, "_", triplets such as %20 and single dots. "*" or ":" with a number may follow.';

function checkName(text: string, position: number, name: string): void {
  const problem = nameProblem(name);
  if (problem === undefined) return;
  throw new TemplateError(text, position, `the name ${quote(name)} ${problem}. Choose another name.`);
}

function nameProblem(name: string): string | undefined {
  // Such a name would shadow an inherited property, or be mistaken for one: `__proto__`, `constructor`.
  if (name in Object.prototype) return "is a property of every object";
  const decoded = decode(name);
  if (decoded === undefined) return "is not percent-encoded UTF-8";
  return decoded !== name && CONTROL.test(decoded) ? "contains a control character" : undefined;
}
