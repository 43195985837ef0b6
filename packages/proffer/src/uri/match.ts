import type { Pair, Pairs } from "./pairs.ts";
import { EXPANSIONS, quote, TemplateError, type Variable } from "./parse.ts";
import type { PathPattern, Pattern, Slot } from "./pattern.ts";
import { countCharacters, decode, dropEmptySegments } from "./uri-text.ts";

/** The value of a variable: a string, a list for `{name*}`, or a map for a `{name*}` listed in `maps`. */
export type TemplateValue = string | string[] | Record<string, string>;

/** Options for matching a URI. */
export interface MatchOptions<Maps extends string = string> {
  /** Whether keys and values are percent-decoded, once. Default: true. */
  readonly decode?: boolean;
  /** How duplicate keys are handled: "error" adds a fault and keeps the first value. Default: "error". */
  readonly duplicates?: "error" | "first" | "last";
  /** Whether empty path segments are kept: with "drop", `a://b//c/` is read as `a://b/c`. Default: "keep". */
  readonly emptySegments?: "keep" | "drop";
  /** Exploded variables that are maps instead of lists. In a query, a map receives all keys without a variable. */
  readonly maps?: readonly Maps[];
}

/** A defect of a URI that matches the template. */
export interface Fault {
  /**
   * `malformed_escape`: the text is not percent-encoded UTF-8 and is passed on undecoded.
   * `duplicate_key`: the key occurred before. `empty_key`: the value has no key.
   */
  readonly kind: "malformed_escape" | "duplicate_key" | "empty_key";
  /** The variable or the key. */
  readonly name: string;
  /** The defective text, undecoded. */
  readonly value: string;
}

/** The result of a match. Reject the URI if there are faults, and decide whether to accept unknown keys. */
export interface Match<Values = Record<string, TemplateValue>> {
  /** Values by variable name. Variables that the URI omits are absent. */
  readonly values: Values;
  /** The query keys that the template does not name, with their values. */
  readonly unknown: ReadonlyMap<string, string>;
  readonly faults: readonly Fault[];
}

/** Matches a URI in one scan from left to right; returns undefined if the pattern does not describe it. */
export function matchPattern(pattern: Pattern, uri: string, options: MatchOptions): Match | undefined {
  const hash = uri.indexOf("#");
  if (!allowsFragment(pattern, hash !== -1)) return undefined;
  const beforeHash = hash === -1 ? uri : uri.slice(0, hash);
  const questionMark = beforeHash.indexOf("?");
  const path = questionMark === -1 ? beforeHash : beforeHash.slice(0, questionMark);
  const state: MatchState = { options, values: {}, unknown: NO_UNKNOWN, faults: NO_FAULTS };
  if (!matchPath(pattern.path, path, state)) return undefined;
  if (questionMark !== -1 || pattern.query.required > 0) {
    const query = questionMark === -1 ? "" : beforeHash.slice(questionMark + 1);
    if (!readPairs(pattern.query, query, state)) return undefined;
  }
  if (hash !== -1 && pattern.fragment !== undefined) {
    if (!matchPath(pattern.fragment, uri.slice(hash + 1), state)) return undefined;
  }
  return { values: state.values, unknown: state.unknown, faults: state.faults };
}

function allowsFragment(pattern: Pattern, present: boolean): boolean {
  if (pattern.fragment === undefined) return !present;
  return present || pattern.fragmentOptional;
}

function matchPath({ prefix, slots, suffix }: PathPattern, text: string, state: MatchState): boolean {
  if (!text.startsWith(prefix) || !text.endsWith(suffix)) return false;
  const end = text.length - suffix.length;
  // If the prefix and the suffix overlap in the text, `at` is beyond `end`, and the comparison below fails.
  let at = prefix.length;
  for (const slot of slots) {
    if (slot.lead === "" || (at < end && text.startsWith(slot.lead, at))) {
      const start = at + slot.lead.length;
      at = findEnd(slot, text, start, end);
      if (at < start || (at === start && !slot.mayBeEmpty)) return false;
      if (!readSlot(slot, text.slice(start, at), state)) return false;
    }
    if (!text.startsWith(slot.after, at)) return false;
    at += slot.after.length;
  }
  return at === end;
}

/** Returns the position where the text of a slot ends. Reads each character once. */
function findEnd(slot: Slot, text: string, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (slot.stops[code] === 1) return code === slot.delimiter ? at - slot.delimiterOffset : at;
  }
  return end;
}

function readSlot({ variable, pairs }: Slot, raw: string, state: MatchState): boolean {
  const { name, operator, explode, prefix } = variable;
  if (pairs !== undefined && (EXPANSIONS[operator].named || state.options.maps?.includes(name))) {
    return readPairs(pairs, raw, state);
  }
  if (prefix !== undefined && countCharacters(raw) > prefix) return false;
  if (explode) state.values[name] = readList(name, raw.split(EXPANSIONS[operator].separator), state);
  else state.values[name] = readText(state, name, raw);
  return true;
}

function readList(name: string, items: readonly string[], state: MatchState): string[] {
  return items.map((item) => readText(state, name, item));
}

/** The state of a match in progress. */
interface MatchState {
  readonly options: MatchOptions;
  readonly values: Record<string, TemplateValue>;
  unknown: Map<string, string>;
  faults: Fault[];
}

/** Shared by all matches without unknown keys or faults: replaced on the first write, never modified. */
const NO_UNKNOWN: Map<string, string> = new Map();

const NO_FAULTS: Fault[] = [];

Object.freeze(NO_FAULTS);

/** Returns the match of a URI without variables. */
export function emptyMatch(): Match {
  return { values: {}, unknown: NO_UNKNOWN, faults: NO_FAULTS };
}

function addFault(state: MatchState, fault: Fault): void {
  if (state.faults === NO_FAULTS) state.faults = [];
  state.faults.push(fault);
}

function setUnknown(state: MatchState, key: string, value: string): void {
  if (state.unknown === NO_UNKNOWN) state.unknown = new Map();
  state.unknown.set(key, value);
}

/** Decodes a text if the options ask for it. Malformed text adds a fault and is returned undecoded. */
function readText(state: MatchState, name: string, raw: string): string {
  if (state.options.decode === false) return raw;
  const text = decode(raw);
  if (text !== undefined) return text;
  addFault(state, { kind: "malformed_escape", name, value: raw });
  return raw;
}

/** Reads `key=value` pairs. Returns false if a value does not match, or a required pair is missing. */
function readPairs(pairs: Pairs, text: string, state: MatchState): boolean {
  const known = state.options.decode === false ? pairs.byRawKey : pairs.byKey;
  const map = mapOf(pairs, state);
  const found = pairs.required === 0 ? undefined : new Set<Pair>();
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf(pairs.separator, at);
    const end = next === -1 ? text.length : next;
    // Slice first: searching for "=" in the whole text would take quadratic time for many keys without a "=".
    const piece = text.slice(at, end);
    at = end + 1;
    if (piece === "") continue;
    const equals = piece.indexOf("=");
    const rawKey = equals === -1 ? piece : piece.slice(0, equals);
    const raw = equals === -1 ? "" : piece.slice(equals + 1);
    if (rawKey === "") {
      addFault(state, { kind: "empty_key", name: "", value: raw });
      continue;
    }
    const key = readText(state, rawKey, rawKey);
    const pair = known.get(key);
    if (pair !== undefined && (map === undefined || pair.variable !== map)) {
      if (!readKnown(pair, raw, state)) return false;
      found?.add(pair);
    } else if (map === undefined) {
      readUnknown(key, raw, state);
    } else {
      readEntry(map.name, key, raw, state);
    }
  }
  return found === undefined || pairs.list.every((pair) => !pair.required || found.has(pair));
}

function mapOf(pairs: Pairs, { options }: MatchState): Variable | undefined {
  if (options.maps === undefined) return undefined;
  for (const { variable } of pairs.list) {
    if (variable?.explode && options.maps.includes(variable.name)) return variable;
  }
  return undefined;
}

function readKnown({ key, variable, fixed }: Pair, raw: string, state: MatchState): boolean {
  if (variable === undefined) return raw === fixed;
  const { name, prefix, explode } = variable;
  if (prefix !== undefined && countCharacters(raw) > prefix) return false;
  const { values } = state;
  const value = readText(state, name, raw);
  const before = values[name];
  if (explode) {
    if (Array.isArray(before)) before.push(value);
    else values[name] = [value];
  } else if (before === undefined || replaces(key, raw, state)) {
    values[name] = value;
  }
  return true;
}

function readUnknown(key: string, raw: string, state: MatchState): void {
  const value = readText(state, key, raw);
  if (!state.unknown.has(key) || replaces(key, raw, state)) setUnknown(state, key, value);
}

function readEntry(name: string, key: string, raw: string, state: MatchState): void {
  // The keys come from the client: without a prototype, `__proto__` is an ordinary key.
  state.values[name] ??= Object.create(null) as Record<string, string>;
  const map = state.values[name] as Record<string, string>;
  const value = readText(state, key, raw);
  if (!(key in map) || replaces(key, raw, state)) map[key] = value;
}

/** Whether a duplicate key replaces the earlier value. Adds a fault if duplicates are errors. */
function replaces(key: string, raw: string, state: MatchState): boolean {
  const { duplicates = "error" } = state.options;
  if (duplicates === "error") addFault(state, { kind: "duplicate_key", name: key, value: raw });
  return duplicates === "last";
}

/** Rejects options that do not fit the template. @throws {TemplateError} */
export function checkOptions(
  text: string,
  variables: readonly Variable[],
  pattern: Pattern,
  options: MatchOptions,
): void {
  if (options.emptySegments === "drop") checkSegments(text, pattern);
  for (const name of options.maps ?? []) {
    if (variables.some((variable) => variable.name === name && variable.explode)) continue;
    throw new TemplateError(text, 0, `${quote(name)} cannot be a map, because the template has no {${name}*}.`);
  }
  checkMaps(text, pattern.query, options);
  for (const { pairs } of [...pattern.path.slots, ...(pattern.fragment?.slots ?? [])]) {
    if (pairs !== undefined) checkMaps(text, pairs, options);
  }
}

function checkMaps(text: string, pairs: Pairs, options: MatchOptions): void {
  const maps = pairs.list.filter(({ variable }) => variable && options.maps?.includes(variable.name));
  if (maps.length < 2) return;
  const names = maps.map(({ key }) => key).join(" and ");
  throw new TemplateError(text, 0, `${names} cannot both be the map of all unnamed keys. Choose one.`);
}

function checkSegments(text: string, pattern: Pattern): void {
  let path = pattern.path.prefix;
  for (const slot of pattern.path.slots) path += `${slot.lead}x${slot.after}`;
  path += pattern.path.suffix;
  if (dropEmptySegments(path) === path) return;
  throw new TemplateError(
    text,
    0,
    `the template has an empty segment, but emptySegments: "drop" removes those from every URI. Remove it.`,
  );
}
