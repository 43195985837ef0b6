import { type Expression, type Part, quote, TemplateError, toText, type Variable } from "./parse.ts";
import { decode } from "./uri-text.ts";

/** One `key=value` pair of a template. */
export interface Pair {
  readonly key: string;
  /** The variable that receives the value; without one, the value must equal `fixed`. */
  readonly variable: Variable | undefined;
  /** The literal value, percent-encoded. */
  readonly fixed: string;
  /** Whether a URI must have the pair, because its key is literal text. */
  readonly required: boolean;
}

/** The `key=value` pairs of a query or of a `{;…}`; a URI may have them in any order. */
export interface Pairs {
  readonly separator: string;
  readonly list: readonly Pair[];
  readonly required: number;
  readonly byKey: ReadonlyMap<string, Pair>;
  /** By the percent-encoded key, for `decode: false`. */
  readonly byRawKey: ReadonlyMap<string, Pair>;
}

/** Returns optional pairs for the variables. */
export function variablePairs(variables: readonly Variable[], separator: string): Pairs {
  return toPairs(variables.map(toOptional), separator);
}

function toOptional(variable: Variable): Pair {
  return { key: variable.name, variable, fixed: "", required: false };
}

/** Parses a query such as `?kind=book&q={words}{&page}`. @throws {TemplateError} if it does not consist of pairs. */
export function queryPairs(text: string, parts: readonly Part[]): Pairs {
  const list: Pair[] = [];
  let position = 0;
  // The literal text of the current pair, and the variable that is its value. Only "&" may follow a variable.
  let literal = "";
  let variable: Variable | undefined;
  let hasValue = false;

  function finish(): void {
    if (literal !== "") list.push(toPair(literal, variable));
    literal = "";
    variable = undefined;
    hasValue = false;
  }

  for (const part of parts) {
    if (typeof part === "string") {
      const [first = "", ...others] = part.split("&");
      if (hasValue && first !== "")
        throw new TemplateError(text, position, `${quote(first)} follows a value. ${QUERY_RULE}`);
      literal += first;
      for (const other of others) {
        finish();
        literal = other;
      }
      continue;
    }
    position = part.position;
    if (part.operator === "?" || part.operator === "&") {
      finish();
      list.push(...part.variables.map(toOptional));
      hasValue = true;
      continue;
    }
    if (hasValue || !isValue(part) || literal === "" || literal.indexOf("=") !== literal.length - 1) {
      throw new TemplateError(text, position, `${toText(part)} is not the whole value of a key. ${QUERY_RULE}`);
    }
    variable = part.variables[0];
    hasValue = true;
  }
  finish();
  checkKeys(text, list, position);
  return toPairs(list, "&");
}

const QUERY_RULE = "Write {?name} or {&name}, or ?key={name} for a required key.";

function isValue({ operator, variables }: Expression): boolean {
  return (operator === "" || operator === "+") && variables.length === 1 && variables[0]?.explode === false;
}

function toPair(literal: string, variable: Variable | undefined): Pair {
  const equals = literal.indexOf("=");
  if (equals === -1) return { key: literal, variable, fixed: "", required: true };
  return { key: literal.slice(0, equals), variable, fixed: literal.slice(equals + 1), required: true };
}

function checkKeys(text: string, list: readonly Pair[], position: number): void {
  const keys = new Set<string>();
  for (const pair of list) {
    const key = decodeKey(pair);
    if (key === "") throw new TemplateError(text, position, `a value has no key. ${QUERY_RULE}`);
    if (keys.has(key)) throw new TemplateError(text, position, `duplicate key ${quote(key)}. Use each key once.`);
    keys.add(key);
  }
}

function decodeKey({ key }: Pair): string {
  return decode(key) ?? key;
}

function toPairs(list: readonly Pair[], separator: string): Pairs {
  return {
    separator,
    list,
    required: list.filter((pair) => pair.required).length,
    byKey: new Map(list.map((pair) => [decodeKey(pair), pair])),
    byRawKey: new Map(list.map((pair) => [pair.key, pair])),
  };
}
