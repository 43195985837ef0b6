import type { Store } from "../server/store.ts";

/** A value now, or a promise of it. Memory answers at once, so that a server on its own creates no promises. */
export type Later<Value> = Value | Promise<Value>;

/** The fields of a record. */
export interface RecordFields {
  readonly [name: string]: string;
}

/** A change of one record: all of it is made, or nothing. */
export interface RecordChange {
  /** The fields that must have these values; undefined: must not exist. */
  readonly if?: { readonly [name: string]: string | undefined };
  readonly set?: RecordFields;
  /** RecordFields that are set unless they exist. */
  readonly setOnce?: RecordFields;
  /** Whole numbers to add to fields; a missing field counts as 0. */
  readonly add?: { readonly [name: string]: number };
  /** RecordFields to set to the time of the store, in milliseconds since 1970. It never goes back. */
  readonly stamp?: readonly string[];
  readonly remove?: readonly string[];
  /** Removes the fields whose names start with this text. */
  readonly removePrefix?: string;
  /** Milliseconds from now until the record is removed. Without it, the time does not change. */
  readonly expire?: number;
}

/** The outcome of a change. */
export interface RecordChanged {
  readonly made: boolean;
  /** All fields of the record afterwards; empty if there is none. */
  readonly fields: RecordFields;
}

/** An entry of a log. The writer chooses the places: 1, 2, 3, … */
export interface StoredEntry {
  readonly place: number;
  readonly text: string;
}

/** How much of a log is kept; the oldest entries go first. */
export interface LogLimits {
  readonly entries: number;
  readonly bytes: number;
  /** After the last entry. */
  readonly milliseconds: number;
}

/**
 * The state that all nodes share. After an unknown outcome, such as a lost reply, each method may be called again with
 * the same arguments: the second call has no further effect. `add` is the exception; what it counts must not depend on
 * being exact.
 */
export interface SharedStore extends Required<Store> {
  /** RecordFields of a record, or undefined if there is no such record. Without names: all fields. */
  read(key: string, names?: readonly string[]): Later<RecordFields | undefined>;
  change(key: string, change: RecordChange): Later<RecordChanged>;
  remove(key: string): Later<void>;
  /** Adds entries to a log. An entry whose place is taken is left out. */
  append(log: string, entries: readonly StoredEntry[], limits: LogLimits): Later<void>;
  /** The entries of a log after a place; undefined if some of them are gone, or the log is. */
  since(log: string, place: number): Later<readonly StoredEntry[] | undefined>;
}
