import { decode } from "./percent.ts";

/** What a variable stood for: a text, a list for `{name*}`, or a map for a `{name*}` that was declared as one. */
export type TemplateValue = string | string[] | Record<string, string>;

/** How a URI is read. */
export interface MatchOptions<Maps extends string = string> {
  /** Whether values, keys and their percent-encoding are decoded, once. Default: true. */
  readonly decode?: boolean;
  /** What a query key that comes twice means: a fault (and the first value), the first value or the last. Default: "error". */
  readonly duplicates?: "error" | "first" | "last";
  /** Whether `a//b/` is another path than `a/b`. Default: "keep", it is. */
  readonly emptySegments?: "keep" | "drop";
  /** Exploded variables that are maps, not lists. In a query, a map takes every key that the template does not name. */
  readonly maps?: readonly Maps[];
}

/** Something that is wrong with a URI although a template describes it. */
export interface Fault {
  /**
   * `malformed_escape`: not the percent-encoding of UTF-8; the value is then given as it stands.
   * `duplicate_key`: a key that came before. `empty_key`: a value without a key.
   */
  readonly kind: "malformed_escape" | "duplicate_key" | "empty_key";
  /** The variable or the key. */
  readonly name: string;
  /** The text at fault, as it stands in the URI. */
  readonly value: string;
}

/** What a template found in a URI. Refuse the URI if `faults` has something, and perhaps if `unknown` has. */
export interface Match<Values = Record<string, TemplateValue>> {
  /** By the name of the variable. What the URI leaves out is absent. */
  readonly values: Values;
  /** The keys of the query that the template does not name, with their values. */
  readonly unknown: ReadonlyMap<string, string>;
  readonly faults: readonly Fault[];
}

/** A match while it is being read. */
export interface Draft {
  readonly values: Record<string, TemplateValue>;
  unknown: Map<string, string>;
  faults: Fault[];
}

/** Shared by all matches that have none; replaced, never filled. */
const NO_PAIRS: Map<string, string> = new Map();
const NO_FAULTS: Fault[] = [];

export function createDraft(): Draft {
  return { values: {}, unknown: NO_PAIRS, faults: NO_FAULTS };
}

export function addFault(draft: Draft, kind: Fault["kind"], name: string, value: string): void {
  if (draft.faults === NO_FAULTS) draft.faults = [];
  draft.faults.push({ kind, name, value });
}

export function setUnknown(draft: Draft, key: string, value: string): void {
  if (draft.unknown === NO_PAIRS) draft.unknown = new Map();
  draft.unknown.set(key, value);
}

/** Decodes a text as the options want it; a malformed one stays as it is and is reported. */
export function readText(draft: Draft, options: MatchOptions, name: string, raw: string): string {
  if (options.decode === false) return raw;
  const text = decode(raw);
  if (text !== undefined) return text;
  addFault(draft, "malformed_escape", name, raw);
  return raw;
}
