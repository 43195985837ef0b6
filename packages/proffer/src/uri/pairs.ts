import { type Expression, type Part, toText, type Variable } from "./expression.ts";
import { addFault, type Draft, type MatchOptions, readText, setUnknown } from "./match-result.ts";
import { countCharacters, decode } from "./percent.ts";
import { TemplateError } from "./template-error.ts";

/** One `key=value` that a template names. */
interface Pair {
  readonly key: string;
  /** What takes the value; without it the value is `fixed`. */
  readonly variable?: Variable;
  /** The value that literal text asks for, as it stands in a URI. */
  readonly fixed?: string;
  readonly required: boolean;
}

/** The `key=value` pairs of a query, or of a `{;…}`: in any order. */
export interface Pairs {
  readonly list: readonly Pair[];
  readonly byKey: ReadonlyMap<string, Pair>;
  /** By the key as it stands in the template, for those who do not decode. */
  readonly byRawKey: ReadonlyMap<string, Pair>;
  readonly required: number;
}

/** The pairs of one `{;…}` or `{&…}`. */
export function variablePairs(text: string, expression: Expression): Pairs {
  return createPairs(text, optionalPairs(expression), expression.position);
}

function optionalPairs(expression: Expression): Pair[] {
  return expression.variables.map((variable) => ({ key: variable.name, variable, required: false }));
}

/** The pairs of a query: `?kind=book&q={words}{&page}`. @throws {TemplateError} if it is not made of pairs. */
export function queryPairs(text: string, parts: readonly Part[]): Pairs {
  const pairs: Pair[] = [];
  let position = 0;
  // What has been seen of a pair written as text, and the variable that is its value.
  let literal = "";
  let variable: Variable | undefined;
  let closed = false;

  function close(): void {
    if (literal !== "") pairs.push(toPair(literal, variable));
    literal = "";
    variable = undefined;
    closed = false;
  }

  for (const part of parts) {
    if (typeof part === "string") {
      const [first = "", ...others] = part.split("&");
      if (first !== "" && closed) throw new TemplateError(text, position, `"${first}" follows a value; ${PAIR_RULE}`);
      literal += first;
      for (const other of others) {
        close();
        literal = other;
      }
      continue;
    }
    position = part.position;
    if (part.operator === "?" || part.operator === "&") {
      close();
      pairs.push(...optionalPairs(part));
      closed = true;
      continue;
    }
    const [only, second] = part.variables;
    const fits = (part.operator === "" || part.operator === "+") && second === undefined && only?.explode === false;
    if (!fits || closed || literal.indexOf("=") !== literal.length - 1 || literal === "") {
      throw new TemplateError(text, position, `in a query, ${toText(part)} must be all that follows "="; ${PAIR_RULE}`);
    }
    variable = only;
    closed = true;
  }
  close();
  return createPairs(text, pairs, position);
}

const PAIR_RULE = "write {?name} or {&name}, or ?key={name}.";

function toPair(literal: string, variable: Variable | undefined): Pair {
  const equals = literal.indexOf("=");
  const key = equals === -1 ? literal : literal.slice(0, equals);
  if (variable !== undefined) return { key, variable, required: true };
  return { key, fixed: equals === -1 ? "" : literal.slice(equals + 1), required: true };
}

function createPairs(text: string, list: readonly Pair[], position: number): Pairs {
  const byKey = new Map<string, Pair>();
  const byRawKey = new Map<string, Pair>();
  for (const pair of list) {
    const key = decode(pair.key) ?? pair.key;
    if (byKey.has(key)) throw new TemplateError(text, position, `the key "${key}" stands twice; name it once.`);
    byKey.set(key, pair);
    byRawKey.set(pair.key, pair);
  }
  return { list, byKey, byRawKey, required: list.filter((pair) => pair.required).length };
}

/** Reads `key=value` pairs into a match. Returns false if what the template requires is not there. */
export function readPairs(pairs: Pairs, text: string, separator: string, draft: Draft, options: MatchOptions): boolean {
  const known = options.decode === false ? pairs.byRawKey : pairs.byKey;
  const map = mapOf(pairs, options);
  const found = pairs.required === 0 ? undefined : new Set<Pair>();
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf(separator, at);
    const end = next === -1 ? text.length : next;
    // Cut out first: a search for "=" in the whole text would be quadratic for many keys without one.
    const piece = text.slice(at, end);
    at = end + 1;
    if (piece === "") continue;
    const equals = piece.indexOf("=");
    const rawKey = equals === -1 ? piece : piece.slice(0, equals);
    const raw = equals === -1 ? "" : piece.slice(equals + 1);
    if (rawKey === "") {
      addFault(draft, "empty_key", "", raw);
      continue;
    }
    const key = readText(draft, options, rawKey, rawKey);
    const pair = known.get(key);
    if (pair === undefined || (map !== undefined && pair.variable === map)) {
      readOther(map, key, raw, draft, options);
      continue;
    }
    if (!readKnown(pair, key, raw, found?.has(pair) === true, draft, options)) return false;
    found?.add(pair);
  }
  return found === undefined || hasRequired(pairs, found);
}

function hasRequired(pairs: Pairs, found: ReadonlySet<Pair>): boolean {
  for (const pair of pairs.list) {
    if (pair.required && !found.has(pair)) return false;
  }
  return true;
}

function mapOf(pairs: Pairs, options: MatchOptions): Variable | undefined {
  if (options.maps === undefined) return undefined;
  for (const { variable } of pairs.list) {
    if (variable?.explode && options.maps.includes(variable.name)) return variable;
  }
  return undefined;
}

/** A key that the template does not name: an entry of its map, if it has one. */
function readOther(map: Variable | undefined, key: string, raw: string, draft: Draft, options: MatchOptions): void {
  const value = readText(draft, options, key, raw);
  if (map === undefined) {
    if (draft.unknown.has(key) && !replaces(key, raw, draft, options)) return;
    setUnknown(draft, key, value);
    return;
  }
  draft.values[map.name] ??= Object.create(null) as Record<string, string>;
  const entries = draft.values[map.name] as Record<string, string>;
  if (key in entries && !replaces(key, raw, draft, options)) return;
  entries[key] = value;
}

function readKnown(pair: Pair, key: string, raw: string, again: boolean, draft: Draft, options: MatchOptions): boolean {
  const { variable } = pair;
  if (variable === undefined) {
    if (again) replaces(key, raw, draft, options);
    return raw === pair.fixed;
  }
  if (variable.prefix !== undefined && countCharacters(raw) > variable.prefix) return false;
  const { values } = draft;
  const value = readText(draft, options, variable.name, raw);
  const before = values[variable.name];
  if (variable.explode) {
    if (before === undefined) values[variable.name] = [value];
    else (before as string[]).push(value);
    return true;
  }
  if (before === undefined || replaces(key, raw, draft, options)) values[variable.name] = value;
  return true;
}

/** Whether a key that came before takes the new value; reports it where that is an error. */
function replaces(key: string, raw: string, draft: Draft, options: MatchOptions): boolean {
  if (options.duplicates === "last") return true;
  if (options.duplicates !== "first") addFault(draft, "duplicate_key", key, raw);
  return false;
}
