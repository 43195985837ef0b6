import { type DerivedSchema, type Json, typesOf } from "../model/json-schema.ts";
import type { Grammar } from "./grammars.ts";
import { fits, namedValue, readLiteral } from "./literal.ts";

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
    const allowed = namesValues(schema) ? "is not one of the values of the type" : `is not of the type ${types}`;
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

function namesValues({ enum: values, const: only }: DerivedSchema): boolean {
  return values !== undefined || only !== undefined;
}
