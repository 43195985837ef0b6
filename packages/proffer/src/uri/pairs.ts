import { type Expression, type Part, toText, type Variable } from "./expression.ts";
import { decode } from "./percent.ts";
import { quote, TemplateError } from "./template-error.ts";

/** One `key=value` that a template names. */
export interface Pair {
  readonly key: string;
  /** What takes the value; without it the value must be `fixed`. */
  readonly variable: Variable | undefined;
  /** The value that literal text asks for, as it stands in a URI. */
  readonly fixed: string;
  /** Whether a URI must have it, because the key is literal text. */
  readonly required: boolean;
}

/** The `key=value` pairs of a query, or of a `{;…}`, which stand in any order. */
export interface Pairs {
  readonly separator: string;
  readonly list: readonly Pair[];
  readonly required: number;
  readonly byKey: ReadonlyMap<string, Pair>;
  /** By the key as it stands in the template, for those who do not decode. */
  readonly byRawKey: ReadonlyMap<string, Pair>;
}

/** Pairs of variables that may each be left out. */
export function variablePairs(variables: readonly Variable[], separator: string): Pairs {
  return toPairs(variables.map(toOptional), separator);
}

function toOptional(variable: Variable): Pair {
  return { key: variable.name, variable, fixed: "", required: false };
}

/** The pairs of a query such as `?kind=book&q={words}{&page}`. @throws {TemplateError} if it is not made of pairs. */
export function queryPairs(text: string, parts: readonly Part[]): Pairs {
  const list: Pair[] = [];
  let position = 0;
  // The text of a pair, and the variable that is its value. After a variable, only "&" may follow.
  let literal = "";
  let variable: Variable | undefined;
  let full = false;

  function finish(): void {
    if (literal !== "") list.push(toPair(literal, variable));
    literal = "";
    variable = undefined;
    full = false;
  }

  for (const part of parts) {
    if (typeof part === "string") {
      const [first = "", ...others] = part.split("&");
      if (full && first !== "")
        throw new TemplateError(text, position, `${quote(first)} follows a value; ${QUERY_RULE}`);
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
      full = true;
      continue;
    }
    if (full || !isValue(part) || literal === "" || literal.indexOf("=") !== literal.length - 1) {
      throw new TemplateError(text, position, `${toText(part)} is not the whole value of a key; ${QUERY_RULE}`);
    }
    variable = part.variables[0];
    full = true;
  }
  finish();
  checkKeys(text, list, position);
  return toPairs(list, "&");
}

const QUERY_RULE = "write {?name} or {&name}, or, for one that must be there, ?key={name}.";

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
    if (key === "") throw new TemplateError(text, position, `a value has no key; ${QUERY_RULE}`);
    if (keys.has(key)) throw new TemplateError(text, position, `the key ${quote(key)} stands twice; name it once.`);
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
