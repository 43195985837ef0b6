import type { Json } from "../../protocol/data.ts";
import type { Field, TextShape } from "./field.ts";

const MAX_DEPTH = 8;
/** Deeper than this, a value that may be null is null: it may contain itself. */
const SHALLOW = 2;
const MAX_ITEMS = 20;

/**
 * Makes an example with the required parts and an item of each list: from `examples`, `default`, the first choice and the limits. It is the same
 * each time. Undefined if there is none, such as for a type that contains itself without an end.
 */
export function exampleOf(field: Field, number = 0, depth = 0): Json | undefined {
  const given = field.examples[number] ?? (number === 0 ? field.default : undefined);
  if (given !== undefined) return given;
  if (field.nullable && depth > SHALLOW) return null;
  if (depth > MAX_DEPTH) return undefined;
  const made = make(field, number, depth);
  return made === undefined && field.nullable ? null : made;
}

function make(field: Field, number: number, depth: number): Json | undefined {
  switch (field.kind) {
    case "text":
      return sampleText(field, number);
    case "number":
      return sampleNumber(field) + number * (field.multipleOf ?? 1);
    case "boolean":
      return number % 2 === 1;
    case "choice":
      return field.choices[number % field.choices.length]?.value;
    case "array":
      return makeArray(field, depth);
    case "object":
      return makeObject(field, depth);
    case "union":
      return makeUnion(field, number, depth);
    case "null":
      return null;
    default:
      if (field.kind === "json" && field.reason === undefined) return "example";
      return field.reason === "any object" ? {} : undefined;
  }
}

function makeArray(field: Extract<Field, { kind: "array" }>, depth: number): Json | undefined {
  // An empty list shows nothing. Deeper ones may be without an end.
  const least = depth > SHALLOW ? field.minItems : Math.max(field.minItems, 1);
  const length = Math.min(Math.max(least, field.prefix.length), MAX_ITEMS, field.maxItems ?? Infinity);
  const items: Json[] = [];
  while (items.length < length) {
    const later = field.prefix[items.length] ?? field.items;
    const item = later === undefined ? undefined : exampleOf(later(), field.unique ? items.length : 0, depth + 1);
    if (item === undefined) return items.length < field.minItems ? undefined : items;
    items.push(item);
  }
  return items;
}

function makeObject(field: Extract<Field, { kind: "object" }>, depth: number): Json | undefined {
  const entries: [string, Json][] = [];
  for (const property of field.properties) {
    if (!property.required) continue;
    const value = exampleOf(property.field(), 0, depth + 1);
    if (value === undefined) return undefined;
    entries.push([property.name, value]);
  }
  while (field.extra !== undefined && entries.length < Math.min(field.minProperties, MAX_ITEMS)) {
    const value = exampleOf(field.extra(), 0, depth + 1);
    if (value === undefined) return undefined;
    entries.push([`name${entries.length + 1}`, value]);
  }
  return Object.fromEntries(entries);
}

/** The first alternative that has an example: others may contain themselves. */
function makeUnion(field: Extract<Field, { kind: "union" }>, number: number, depth: number): Json | undefined {
  for (const { field: later } of field.branches) {
    const value = exampleOf(later(), number, depth + 1);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The value of a field when a person adds it: as empty as possible, with the constants that it must have. */
export function initialOf(field: Field): Json {
  switch (field.kind) {
    case "text":
      return "";
    case "number":
      return clamp(field);
    case "boolean":
      return false;
    case "choice":
      return field.choices[0]?.value ?? null;
    case "array":
      return [];
    case "object": {
      const constants = field.properties.flatMap(({ name, required, field: later }): [string, Json][] => {
        if (!required) return [];
        const child = later();
        const isConstant = child.kind === "choice" && child.choices.length === 1 && !child.nullable;
        return isConstant ? [[name, initialOf(child)]] : [];
      });
      return Object.fromEntries(constants);
    }
    case "union": {
      const [first] = field.branches;
      return first === undefined ? null : initialOf(first.field());
    }
    default:
      return null;
  }
}

/** One, if it fits, because most tools do little with nothing; else the allowed number that is nearest to zero. */
function sampleNumber(field: Extract<Field, { kind: "number" }>): number {
  const { minimum = 1, maximum = 1, exclusiveMinimum = 0, exclusiveMaximum = 2, multipleOf = 1 } = field;
  const fits = minimum <= 1 && maximum >= 1 && exclusiveMinimum < 1 && exclusiveMaximum > 1 && 1 % multipleOf === 0;
  return fits ? 1 : clamp(field);
}

/** The number nearest to zero that the limits allow. */
function clamp(field: Extract<Field, { kind: "number" }>): number {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = field;
  const step = field.multipleOf ?? (field.integer ? 1 : 0.5);
  const isAbove = (number: number) => number >= minimum && number > exclusiveMinimum;
  const isBelow = (number: number) => number <= maximum && number < exclusiveMaximum;
  const [least, most] = [Math.max(minimum, exclusiveMinimum), Math.min(maximum, exclusiveMaximum)];
  const up = Math.ceil(Math.max(least, 0) / step) * step;
  const down = Math.floor(Math.min(most, 0) / step) * step;
  if (!isAbove(0)) return isAbove(up) ? up : up + step;
  return isBelow(down) ? down : down - step;
}

const FORMATS: { readonly [format: string]: string } = {
  date: "2026-01-31",
  "date-time": "2026-01-31T13:00:00Z",
  time: "13:00:00Z",
  duration: "P1D",
  email: "ann@example.com",
  hostname: "www.example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/a",
  uuid: "0e2f3a54-5a2b-4c1d-9e8f-7a6b5c4d3e2f",
};
const MAX_LENGTH = 1000;
const WORDS = "example text ";

/** Makes a text for a field; `number` makes several different ones. */
function sampleText(shape: TextShape, number: number): string {
  const { format, pattern, minLength = 0, maxLength = MAX_LENGTH } = shape;
  const known = format !== undefined && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (known !== undefined) return known;
  if (pattern !== undefined) return fromPattern(pattern, minLength, maxLength) ?? "example";
  const text = number === 0 ? "example" : `example ${number + 1}`;
  const long = text.length < minLength ? WORDS.repeat(Math.ceil(Math.min(minLength, MAX_LENGTH) / WORDS.length)) : text;
  return long.slice(0, Math.max(minLength, Math.min(maxLength, text.length)));
}

const MAX_TRIES = 64;

function fromPattern(pattern: string, least: number, most: number): string | undefined {
  let first: string | undefined;
  for (let more = 0; more < MAX_TRIES; more++) {
    const sample = samplePattern(pattern, more);
    if (sample === undefined) return first;
    first ??= sample;
    if (sample.length >= least && sample.length <= most) return sample;
  }
  return first;
}

/** The candidates for a class with a complement, in the order of preference. */
const CANDIDATES = "aA0 -_.:/@!\u00e4";
const MAX_REPEATS = 200;
const REPEATS: { readonly [quantifier: string]: readonly [least: number, most: number] } = {
  "*": [0, Infinity],
  "+": [1, Infinity],
  "?": [0, 1],
};
const ESCAPES: { readonly [char: string]: string } = {
  ...{ d: "0", w: "a", s: " ", D: "a", W: "-", S: "a", b: "", B: "" },
  ...{ n: "\n", r: "\r", t: "\t", f: "\f", v: "\v", 0: "\0" },
};

/**
 * Makes a text that a regular expression matches: the first alternative, each quantifier at its least and `more`. Undefined
 * if it cannot read the expression, for example a lookahead. The expression is not run: it is a server's, and may take forever.
 */
export function samplePattern(pattern: string, more: number): string | undefined {
  let at = 0;

  /** Moves over the text that a sticky expression matches here. */
  function take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = at;
    const found = expression.exec(pattern) ?? undefined;
    if (found !== undefined) at = expression.lastIndex;
    return found;
  }

  function alternatives(): string {
    const first = sequence();
    while (take(/\|/y)) sequence();
    return first;
  }

  function sequence(): string {
    let text = "";
    while (at < pattern.length && !"|)".includes(pattern.charAt(at))) {
      text += repeated(atom());
      if (text.length > MAX_LENGTH) throw new Error("too long");
    }
    return text;
  }

  function atom(): string {
    if (take(/[$^]/y)) return "";
    if (take(/\./y)) return "a";
    if (take(/\[/y)) return charClass();
    if (take(/\((?:\?:|\?<(?![=!])[^>]*>|(?!\?))/y)) {
      const text = alternatives();
      return take(/\)/y) ? text : fail();
    }
    // A lookaround, or nothing to repeat.
    return "(*+?{".includes(pattern.charAt(at)) ? fail() : member();
  }

  function repeated(text: string): string {
    const [quantifier, from, to = from] = take(/(?:[*+?]|\{(\d+)(?:,(\d*))?\})\??/y) ?? [];
    if (quantifier === undefined) return text;
    const [least, most] = REPEATS[quantifier.charAt(0)] ?? [Number(from), Number(to || Infinity)];
    return text.repeat(Math.min(least + more, most, MAX_REPEATS));
  }

  /** The first member of a class; for a complement, the first candidate that it has. */
  function charClass(): string {
    const isComplement = take(/\^/y) !== undefined;
    const members: [string, string][] = [];
    while (!take(/\]/y)) {
      const from = member();
      members.push([from, take(/-(?!\])/y) ? member() : from]);
    }
    const free = [...CANDIDATES].find((char) => !members.some(([from, to]) => from <= char && char <= to));
    return (isComplement ? free : members[0]?.[0]) ?? fail();
  }

  /** A character, or an escape. */
  function member(): string {
    const [char = fail()] = take(/./suy) ?? [];
    if (char !== "\\") return char;
    const [, braced, plain = braced] = take(/[ux](?:\{([\da-fA-F]+)\}|([\da-fA-F]{2,4}))/y) ?? [];
    if (plain !== undefined) return String.fromCodePoint(Number.parseInt(plain, 16));
    const [, property] = take(/p\{([^}]*)\}/y) ?? [];
    if (property !== undefined) return /^N/.test(property) ? "0" : /Lu|Uppercase/.test(property) ? "A" : "a";
    const [escaped = fail()] = take(/./suy) ?? [];
    return ESCAPES[escaped] ?? (/[a-zA-Z1-9]/.test(escaped) ? fail() : escaped);
  }

  try {
    const text = alternatives();
    return at < pattern.length ? undefined : text;
  } catch {
    return undefined;
  }
}

function fail(): never {
  throw new Error("not a pattern");
}
