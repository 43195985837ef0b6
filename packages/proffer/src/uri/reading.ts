import { decode } from "./percent.ts";

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

/** The state of a match in progress. */
export interface Reading {
  readonly options: MatchOptions;
  readonly values: Record<string, TemplateValue>;
  unknown: Map<string, string>;
  faults: Fault[];
}

/** Shared by all matches without unknown keys or faults: replaced on the first write, never modified. */
const NO_UNKNOWN: Map<string, string> = new Map();
const NO_FAULTS: Fault[] = [];
Object.freeze(NO_FAULTS);

export function createReading(options: MatchOptions): Reading {
  return { options, values: {}, unknown: NO_UNKNOWN, faults: NO_FAULTS };
}

export function toMatch({ values, unknown, faults }: Reading): Match {
  return { values, unknown, faults };
}

export function addFault(reading: Reading, fault: Fault): void {
  if (reading.faults === NO_FAULTS) reading.faults = [];
  reading.faults.push(fault);
}

export function setUnknown(reading: Reading, key: string, value: string): void {
  if (reading.unknown === NO_UNKNOWN) reading.unknown = new Map();
  reading.unknown.set(key, value);
}

/** Decodes a text if the options ask for it. Malformed text adds a fault and is returned undecoded. */
export function readText(reading: Reading, name: string, raw: string): string {
  if (reading.options.decode === false) return raw;
  const text = decode(raw);
  if (text !== undefined) return text;
  addFault(reading, { kind: "malformed_escape", name, value: raw });
  return raw;
}
