import ts from "typescript";
import { type DerivedSchema, type Json, type JsonType, typesOf } from "../model/json-schema.ts";
import type { Grammar } from "./grammars.ts";

/** The text of `@default` or `@example`: a value of the documented type, a text for the description, or both. */
export interface ValueText {
  readonly value?: Json;
  readonly text?: string;
}

/** The literals that text may follow. */
const LEADING =
  /^(`[^`\n]+`|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\{[^{}\n]*\}|\[[^[\]\n]*\]|-?\d[\d_]*(?:\.\d+)?|true|false|null)(?=[.,;:]?\s|[.,;:]?$)/;
/** Text after a literal that does not change its meaning: not a unit, as in `10 seconds`, and not a condition. */
const ASIDE = /^(?:[.;]?\s*$|[.,;:]\s|\s*\(|\s+(?:--?|[\u2013\u2014])\s|\s*\n)/;
const CONDITION = /\b(?:if|unless|when|otherwise|except|depend(?:s|ing)|or)\b/i;

/**
 * A default. Comments have code and prose in its place; only a literal of the type is a default that a program can use.
 * Everything else is for people, so it becomes a sentence of the description.
 */
export const DEFAULT: Grammar<ValueText> = {
  expected: "a literal of the type; other text, such as `process.cwd()`, is added to the description",
  parse(text, schema) {
    // JSDoc fills in the value of the source for an empty tag.
    if (text === "") return "foreign";
    const [literal, rest] = splitLeading(text);
    const found = readCode(schema, literal);
    if (found === undefined) return { value: { text } };
    if (found === "absent") return { value: rest === "" ? {} : { text } };
    if (fits(schema, found.value)) return { value: { value: found.value, ...(rest !== "" && { text }) } };
    const types = [...(typesOf(schema) ?? [])].join(" or ");
    const isClosed = schema.enum !== undefined || schema.const !== undefined;
    const allowed = isClosed ? "is not one of the values of the type" : `is not of the type ${types}`;
    return { value: { text }, warning: `${allowed}: ${literal}. It is only shown in the description.` };
  },
};

/** An example of a value. Examples of code are for the description. */
export const EXAMPLE: Grammar<ValueText> = {
  expected: "a literal of the type, or a bare string; other text is added to the description",
  parse(text, schema) {
    if (text === "") return "foreign";
    const found = readCode(schema, text);
    if (typeof found === "object" && fits(schema, found.value)) return { value: { value: found.value } };
    const isString = typesOf(schema)?.has("string") ?? true;
    const isLine = !text.includes("\n") && !text.startsWith("```");
    return { value: isString && isLine ? { value: text } : { text } };
  },
};

function splitLeading(text: string): [literal: string, rest: string] {
  const [literal] = LEADING.exec(text) ?? [];
  if (literal === undefined) return [text, ""];
  const rest = text.slice(literal.length);
  if (!ASIDE.test(rest) || CONDITION.test(rest)) return [text, ""];
  return [literal, rest.replace(/^[.;]?\s*$/, "")];
}

/** Reads code, also in backticks or braces; a bare word only if it is one of the values of the type. */
function readCode(schema: DerivedSchema, code: string): { value: Json } | "absent" | undefined {
  const whole = readLiteral(code);
  const inner = /^(?:`([^`]*)`|\{([^{}]*)\})$/.exec(code);
  const content = (inner?.[1] ?? inner?.[2] ?? code).trim();
  const named = namedValue(schema, content);
  if (named !== undefined) return { value: named };
  if (inner === null || (whole !== undefined && inner[2] !== undefined)) return whole;
  const literal = readLiteral(content);
  if (literal !== undefined) return literal;
  // A word in backticks is a string to JavaScript, too; `process.cwd()` is an expression.
  return /^[A-Za-z0-9_-]+$/.test(content) && !/^(?:NaN|Infinity)$/.test(content) ? whole : undefined;
}

/** A value in a text, or `absent` for `undefined`. */
type Literal = { readonly value: Json } | "absent";

/**
 * Reads a text that is one literal of JavaScript, such as `10_000`, `'a'` or `{ a: [1] }`. Undefined for any other text,
 * also for other expressions. A bigint becomes its JSON form, a string.
 */
function readLiteral(text: string): Literal | undefined {
  const file = ts.createSourceFile("literal.ts", `(${text}\n)`, ts.ScriptTarget.Latest);
  const { parseDiagnostics } = file as ts.SourceFile & { parseDiagnostics: readonly unknown[] };
  const [statement] = file.statements;
  if (parseDiagnostics.length > 0 || file.statements.length !== 1 || statement === undefined) return undefined;
  if (!ts.isExpressionStatement(statement) || !ts.isParenthesizedExpression(statement.expression)) return undefined;
  const { expression } = statement.expression;
  if (ts.isIdentifier(expression) && expression.text === "undefined") return "absent";
  const value = evaluate(expression);
  return value === undefined ? undefined : { value };
}

/** Returns the value of a literal without names. */
function evaluate(node: ts.Expression): Json | undefined {
  return constantValue(node, (leaf) => {
    if (ts.isStringLiteralLike(leaf)) return leaf.text;
    if (ts.isNumericLiteral(leaf)) return Number(leaf.text);
    if (ts.isBigIntLiteral(leaf)) return leaf.text.slice(0, -1);
    if (leaf.kind === ts.SyntaxKind.TrueKeyword) return true;
    if (leaf.kind === ts.SyntaxKind.FalseKeyword) return false;
    if (!ts.isPrefixUnaryExpression(leaf) || leaf.operator !== ts.SyntaxKind.MinusToken) return undefined;
    const value = evaluate(leaf.operand);
    return typeof value === "number" ? -value : undefined;
  });
}

/** Returns the value of null, or of an array or an object of constants; `toValue` reads any other expression. */
export function constantValue(
  node: ts.Expression,
  toValue: (node: ts.Expression) => Json | undefined,
): Json | undefined {
  if (node.kind === ts.SyntaxKind.NullKeyword) return null;
  if (ts.isArrayLiteralExpression(node)) {
    const items = node.elements.map((item) => (ts.isSpreadElement(item) ? undefined : constantValue(item, toValue)));
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  if (!ts.isObjectLiteralExpression(node)) return toValue(node);
  const entries: [string, Json][] = [];
  for (const property of node.properties) {
    if (!ts.isPropertyAssignment(property)) return undefined;
    const { name, initializer } = property;
    const value = constantValue(initializer, toValue);
    if (value === undefined || !(ts.isIdentifier(name) || ts.isStringLiteral(name) || ts.isNumericLiteral(name))) {
      return undefined;
    }
    entries.push([name.text, value]);
  }
  return Object.fromEntries(entries);
}

/** Whether a value has the type, and is one of the values, that a schema allows. Other constraints are not checked. */
function fits(schema: DerivedSchema, value: Json): boolean {
  const { const: only, enum: values, items } = schema;
  const members = schema.anyOf ?? schema.oneOf;
  if (members) return members.some((member) => fits(member, value));
  if (only !== undefined) return only === value;
  if (values && !values.includes(value)) return false;
  if (Array.isArray(value) && items && !value.every((item) => fits(items, item))) return false;
  const types = typesOf(schema);
  if (types === undefined) return true;
  if (value === null) return types.has("null");
  if (Array.isArray(value)) return types.has("array");
  if (typeof value === "number") return types.has("number") || (types.has("integer") && Number.isInteger(value));
  return types.has(typeof value as "string" | "boolean" | "object");
}

/** Returns the member of a closed set of values that a text names without quotes. */
function namedValue(schema: DerivedSchema, text: string): Json | undefined {
  const { const: only, enum: values, anyOf, oneOf } = schema;
  const own = (only === undefined ? values : [only])?.find((value) => String(value) === text);
  if (own !== undefined) return own;
  for (const member of anyOf ?? oneOf ?? []) {
    const found = namedValue(member, text);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Keyword {
  /** Completes the sentence "minProperties must be …". */
  readonly expected: string;
  accepts(value: Json): boolean;
  /** The type of values that it applies to. Default: all. */
  readonly type?: JsonType;
}

const COUNT = {
  expected: "a non-negative integer",
  accepts: (value: Json) => Number.isInteger(value) && Number(value) >= 0,
};
const FLAG = { expected: "true or false", accepts: (value: Json) => typeof value === "boolean" };
const TEXT = { expected: "a string in quotes", accepts: (value: Json) => typeof value === "string" };

/**
 * The keywords that neither a type nor another tag sets, and that the run-time's validator knows. Keywords with
 * subschemas are not among them: a type describes them better.
 */
const KEYWORDS: { readonly [name: string]: Keyword } = {
  minProperties: { ...COUNT, type: "object" },
  maxProperties: { ...COUNT, type: "object" },
  dependentRequired: { expected: "an object of arrays of names", accepts: isNameLists, type: "object" },
  readOnly: FLAG,
  writeOnly: FLAG,
  contentEncoding: { ...TEXT, type: "string" },
  contentMediaType: { ...TEXT, type: "string" },
  $comment: TEXT,
};

const NAMES = `${Object.keys(KEYWORDS).join(", ")} and keywords that begin with x-`;

/** A keyword of JSON Schema and its value. Keywords that begin with `x-` may have any value. */
export const EXTRA_KEYWORD: Grammar<DerivedSchema> = {
  expected: `a keyword and its JSON value; for ${NAMES}`,
  parse(text, schema) {
    const [, name = "", json = ""] = /^(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
    const literal = readLiteral(json);
    if (typeof literal !== "object") return isKeyword(name) ? "invalid" : "foreign";
    const { value } = literal;
    if (name.startsWith("x-")) return { value: { [name]: value } as DerivedSchema };
    const keyword = isKeyword(name) ? KEYWORDS[name] : undefined;
    if (keyword === undefined)
      return { problem: `cannot set ${name}, only ${NAMES}. Types and other tags set the rest` };
    if (!keyword.accepts(value)) return { problem: `${name} must be ${keyword.expected}, not ${json}` };
    const types = typesOf(schema);
    if (keyword.type && types && !types.has(keyword.type)) {
      return { problem: `${name} applies only to ${keyword.type}s, but the type is ${[...types].join(" or ")}` };
    }
    return { value: { [name]: value } as DerivedSchema };
  },
};

function isKeyword(name: string): boolean {
  return Object.hasOwn(KEYWORDS, name) || name.startsWith("x-");
}

function isNameLists(value: Json): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((names) => Array.isArray(names) && names.every((name) => typeof name === "string"));
}
