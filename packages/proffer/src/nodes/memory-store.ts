import { MemoryStore } from "../calls/store.ts";
import { RpcError } from "../protocol/errors.ts";
import { unref } from "../support/async.ts";
import { utf8Length } from "../support/bytes.ts";
import type { LogLimits, RecordChange, RecordChanged, RecordFields, SharedStore, StoredEntry } from "./ports.ts";

/** The records, and the characters in them. A full store refuses new texts: forgetting a record would lose a task. */
const MAX_RECORDS = 1_000_000;
const MAX_CHARACTERS = 2 ** 28;

/** A shared store for the servers of one process. */
export class MemorySharedStore extends MemoryStore implements SharedStore {
  readonly #records = new ExpiringMap<MemoryRecord>(({ size }) => {
    this.#characters -= size;
  });
  readonly #logs = new ExpiringMap<MemoryLog>();
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(maxCharacters: number = MAX_CHARACTERS) {
    super();
    this.#maxCharacters = maxCharacters;
  }

  read(key: string, names?: readonly string[]): RecordFields | undefined {
    return this.#records.get(key)?.select(names);
  }

  change(key: string, change: RecordChange): RecordChanged {
    const known = this.#records.get(key);
    const record = known ?? new MemoryRecord();
    if (!record.meets(change.if)) return { made: false, fields: record.select(change.returning) };
    record.checkNumbers(change.add);
    if (change.set !== undefined || change.setOnce !== undefined) this.#checkRoom(known === undefined, change);
    const before = record.size;
    record.apply(change);
    this.#characters += record.size - before;
    if (record.empty) this.#records.delete(key);
    else if (known === undefined) this.#records.set(key, record);
    return { made: true, fields: record.select(change.returning) };
  }

  remove(key: string): void {
    this.#records.delete(key);
  }

  append(name: string, entries: readonly StoredEntry[], limits: LogLimits): void {
    const [first] = entries;
    if (first === undefined) return;
    const log = this.#logs.get(name) ?? new MemoryLog(first.place - 1);
    log.append(entries, limits);
    this.#logs.set(name, log);
  }

  since(name: string, place: number): readonly StoredEntry[] | undefined {
    return this.#logs.get(name)?.since(place);
  }

  #checkRoom(isNew: boolean, { set, setOnce }: RecordChange): void {
    if (!isNew || this.#records.size < MAX_RECORDS) {
      if (this.#characters + lengthOf(set) + lengthOf(setOnce) <= this.#maxCharacters) return;
    }
    throw new RpcError("busy", "The memory for tasks and sessions is full. Try again later.");
  }
}

function lengthOf(fields: RecordFields | undefined): number {
  let length = 0;
  for (const name in fields) length += name.length + (fields[name] as string).length;
  return length;
}

/** One record in memory. */
class MemoryRecord {
  readonly #fields = new Map<string, string>();
  expires = Number.POSITIVE_INFINITY;
  /** The characters of names and values. */
  size = 0;

  get empty(): boolean {
    return this.#fields.size === 0;
  }

  /** The fields of these names, or all. `Object.fromEntries` creates a property also for the name "__proto__". */
  select(names: readonly string[] | undefined): RecordFields {
    if (names === undefined) return Object.fromEntries(this.#fields);
    const found: [string, string][] = [];
    for (const name of names) {
      const value = this.#fields.get(name);
      if (value !== undefined) found.push([name, value]);
    }
    return Object.fromEntries(found);
  }

  meets(conditions: RecordChange["if"]): boolean {
    for (const name in conditions) if (this.#fields.get(name) !== conditions[name]) return false;
    return true;
  }

  /** Throws before anything has changed. */
  checkNumbers(add: RecordChange["add"]): void {
    for (const name in add) {
      if (isWhole(this.#fields.get(name) ?? "0") && Number.isSafeInteger(add[name])) continue;
      throw new TypeError(`The field ${JSON.stringify(name)} of a record is not a whole number.`);
    }
  }

  apply({ add, remove = [], removePrefix, set, setOnce, stamp = [], expire }: RecordChange): void {
    const fields = this.#fields;
    const now = Date.now();
    for (const name in add) this.#put(name, String(Number(fields.get(name) ?? 0) + (add[name] as number)));
    if (removePrefix !== undefined) {
      for (const name of fields.keys()) if (name.startsWith(removePrefix)) this.#delete(name);
    }
    for (const name of remove) this.#delete(name);
    for (const name in set) this.#put(name, set[name] as string);
    for (const name in setOnce) if (!fields.has(name)) this.#put(name, setOnce[name] as string);
    // The clock of a computer may be set back.
    for (const name of stamp) this.#put(name, String(Math.max(now, Number(fields.get(name)) || 0)));
    if (expire !== undefined) this.expires = now + expire;
  }

  #put(name: string, value: string): void {
    this.#delete(name);
    this.#fields.set(name, value);
    this.size += name.length + value.length;
  }

  #delete(name: string): void {
    const value = this.#fields.get(name);
    if (value === undefined) return;
    this.#fields.delete(name);
    this.size -= name.length + value.length;
  }
}

/** As Redis writes whole numbers; 15 digits are exact in every engine. */
function isWhole(text: string): boolean {
  return /^(0|-?[1-9]\d{0,14})$/.test(text);
}

/** One log in memory. */
class MemoryLog {
  expires = Number.POSITIVE_INFINITY;
  readonly #entries: StoredEntry[] = [];
  #bytes = 0;
  /** The place of the last entry that is gone. */
  #gone: number;

  constructor(before: number) {
    this.#gone = before;
  }

  append(entries: readonly StoredEntry[], limits: LogLimits): void {
    for (const entry of entries) {
      if (entry.place <= (this.#entries.at(-1)?.place ?? this.#gone)) continue;
      this.#entries.push(entry);
      this.#bytes += utf8Length(entry.text);
    }
    this.#dropOldest(limits);
    this.expires = Date.now() + limits.milliseconds;
  }

  since(place: number): readonly StoredEntry[] | undefined {
    return place < this.#gone ? undefined : this.#entries.filter((entry) => entry.place > place);
  }

  #dropOldest(limits: LogLimits): void {
    let count = 0;
    for (const { place, text } of this.#entries) {
      if (this.#entries.length - count <= limits.entries && this.#bytes <= limits.bytes) break;
      this.#bytes -= utf8Length(text);
      this.#gone = place;
      count++;
    }
    if (count > 0) this.#entries.splice(0, count);
  }
}

/** Milliseconds between two sweeps. */
const INTERVAL = 30_000;

/** The entries that one slice of a sweep looks at: about a millisecond of work. */
const SLICE = 10_000;

/** A map without its expired entries. It also removes those that nobody asks for: now and then, and in slices. */
export class ExpiringMap<Value extends { readonly expires: number }> {
  readonly #entries = new Map<string, Value>();
  readonly #removed: (value: Value) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `removed` is called for each entry that expires or is deleted. */
  constructor(removed: (value: Value) => void = () => {}) {
    this.#removed = removed;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined || value.expires > Date.now()) return value;
    this.delete(key);
    return undefined;
  }

  set(key: string, value: Value): void {
    this.#entries.set(key, value);
    this.#sweepLater();
  }

  delete(key: string): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#removed(value);
  }

  #sweepLater(): void {
    if (this.#timer === undefined) this.#schedule(INTERVAL, () => this.#sweep(this.#entries.entries()));
  }

  #sweep(rest: IterableIterator<[string, Value]>): void {
    const now = Date.now();
    for (let looked = 0; looked < SLICE; looked++) {
      const { done, value } = rest.next();
      if (done) {
        this.#timer = undefined;
        if (this.#entries.size > 0) this.#sweepLater();
        return;
      }
      if (value[1].expires <= now) this.delete(value[0]);
    }
    this.#schedule(1, () => this.#sweep(rest));
  }

  #schedule(milliseconds: number, work: () => void): void {
    this.#timer = unref(setTimeout(work, milliseconds));
  }
}
