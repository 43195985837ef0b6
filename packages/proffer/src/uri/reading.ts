import { decode } from "./percent.ts";

/** What a variable stood for: a text, a list for `{name*}`, or a map for a `{name*}` that was declared as one. */
export type TemplateValue = string | string[] | Record<string, string>;

/** How a URI is read. */
export interface MatchOptions<Maps extends string = string> {
  /** Whether keys and values are percent-decoded, once. Default: true. */
  readonly decode?: boolean;
  /** What a key that comes again means: a fault, and the first value; the first value; or the last. Default: "error". */
  readonly duplicates?: "error" | "first" | "last";
  /** Whether empty segments of the path count: with "drop", `a://b//c/` is read as `a://b/c`. Default: "keep". */
  readonly emptySegments?: "keep" | "drop";
  /** Exploded variables that are maps instead of lists. In a query, a map takes every key that the template does not name. */
  readonly maps?: readonly Maps[];
}

/** Something wrong with a URI that a template describes. */
export interface Fault {
  /**
   * `malformed_escape`: not the percent-encoding of UTF-8; the text is then given as it stands.
   * `duplicate_key`: a key that came before. `empty_key`: a value without a key.
   */
  readonly kind: "malformed_escape" | "duplicate_key" | "empty_key";
  /** The variable or the key. */
  readonly name: string;
  /** The text at fault, as it stands in the URI. */
  readonly value: string;
}

/** What a template found in a URI. If there are faults, refuse the URI; if there are unknown keys, consider it. */
export interface Match<Values = Record<string, TemplateValue>> {
  /** By the name of the variable. What the URI leaves out is absent. */
  readonly values: Values;
  /** The keys that the template does not name, with their values. */
  readonly unknown: ReadonlyMap<string, string>;
  readonly faults: readonly Fault[];
}

/** A match in the making. */
export interface Reading {
  readonly options: MatchOptions;
  readonly values: Record<string, TemplateValue>;
  unknown: Map<string, string>;
  faults: Fault[];
}

/** Shared by all matches that have nothing to put there: replaced, never filled. */
const NOTHING_UNKNOWN: Map<string, string> = new Map();
const NO_FAULTS: Fault[] = [];
Object.freeze(NO_FAULTS);

export function createReading(options: MatchOptions): Reading {
  return { options, values: {}, unknown: NOTHING_UNKNOWN, faults: NO_FAULTS };
}

export function toMatch({ values, unknown, faults }: Reading): Match {
  return { values, unknown, faults };
}

export function addFault(reading: Reading, fault: Fault): void {
  if (reading.faults === NO_FAULTS) reading.faults = [];
  reading.faults.push(fault);
}

export function setUnknown(reading: Reading, key: string, value: string): void {
  if (reading.unknown === NOTHING_UNKNOWN) reading.unknown = new Map();
  reading.unknown.set(key, value);
}

/** Decodes a text as the options want it. A malformed one is reported and stays as it is. */
export function readText(reading: Reading, name: string, raw: string): string {
  if (reading.options.decode === false) return raw;
  const text = decode(raw);
  if (text !== undefined) return text;
  addFault(reading, { kind: "malformed_escape", name, value: raw });
  return raw;
}
