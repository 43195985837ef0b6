import { RpcError } from "../protocol/errors.ts";
import { MemoryStore } from "../server/store.ts";
import { utf8Length } from "../support/bytes.ts";
import type { LogLimits, RecordChange, RecordChanged, RecordFields, SharedStore, StoredEntry } from "./ports.ts";

/** A shared store for the servers of one process. */
export class MemorySharedStore extends MemoryStore implements SharedStore {
  readonly #records = new MemoryRecords();
  readonly #logs = new MemoryLogs();

  read(key: string, names?: readonly string[]): RecordFields | undefined {
    return this.#records.read(key, names);
  }

  change(key: string, change: RecordChange): RecordChanged {
    return this.#records.change(key, change);
  }

  remove(key: string): void {
    this.#records.remove(key);
  }

  append(log: string, entries: readonly StoredEntry[], limits: LogLimits): void {
    this.#logs.append(log, entries, limits);
  }

  since(log: string, place: number): readonly StoredEntry[] | undefined {
    return this.#logs.since(log, place);
  }
}

/** The records, and the characters in them. A full store refuses new texts: forgetting a record would lose a task. */
const MAX_RECORDS = 1_000_000;
const MAX_CHARACTERS = 2 ** 28;

/** Records in the memory of this process. */
export class MemoryRecords {
  readonly #records = new Map<string, MemoryRecord>();
  readonly #sweeper = new Sweeper(this.#records, (key, record) => this.#forget(key, record));
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(maxCharacters: number = MAX_CHARACTERS) {
    this.#maxCharacters = maxCharacters;
  }

  read(key: string, names?: readonly string[]): RecordFields | undefined {
    return this.#find(key)?.select(names);
  }

  change(key: string, change: RecordChange): RecordChanged {
    const known = this.#find(key);
    const record = known ?? new MemoryRecord();
    if (!record.meets(change.if)) return { made: false, fields: record.select(change.returning) };
    record.checkNumbers(change.add);
    if (change.set !== undefined || change.setOnce !== undefined) this.#checkRoom(known === undefined, change);
    const before = record.size;
    record.apply(change);
    this.#characters += record.size - before;
    if (record.empty) this.#forget(key, record);
    else if (known === undefined) {
      this.#records.set(key, record);
      this.#sweeper.wake();
    }
    return { made: true, fields: record.select(change.returning) };
  }

  remove(key: string): void {
    const record = this.#records.get(key);
    if (record !== undefined) this.#forget(key, record);
  }

  #checkRoom(isNew: boolean, { set, setOnce }: RecordChange): void {
    if (!isNew || this.#records.size < MAX_RECORDS) {
      if (this.#characters + lengthOf(set) + lengthOf(setOnce) <= this.#maxCharacters) return;
    }
    throw new RpcError("busy", "The memory for tasks and sessions is full. Try again later.");
  }

  #find(key: string): MemoryRecord | undefined {
    const record = this.#records.get(key);
    if (record === undefined || record.expires > Date.now()) return record;
    this.#forget(key, record);
    return undefined;
  }

  #forget(key: string, record: MemoryRecord): void {
    if (this.#records.delete(key)) this.#characters -= record.size;
  }
}

function lengthOf(fields: RecordFields | undefined): number {
  let length = 0;
  for (const name in fields) length += name.length + (fields[name] as string).length;
  return length;
}

/** One record in memory. */
export class MemoryRecord {
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

interface MemoryLog {
  readonly entries: StoredEntry[];
  bytes: number;
  /** The place of the last entry that is gone. */
  gone: number;
  /** The place of the last entry, also of one that is gone. */
  last: number;
  expires: number;
}

/** Logs in the memory of this process. */
export class MemoryLogs {
  readonly #logs = new Map<string, MemoryLog>();
  readonly #sweeper = new Sweeper(this.#logs, (name) => this.#logs.delete(name));

  append(name: string, entries: readonly StoredEntry[], limits: LogLimits): void {
    const [first] = entries;
    if (first === undefined) return;
    const log = this.#find(name) ?? this.#create(name, first.place);
    for (const entry of entries) {
      if (entry.place <= log.last) continue;
      log.entries.push(entry);
      log.bytes += utf8Length(entry.text);
      log.last = entry.place;
    }
    drop(log, limits);
    log.expires = Date.now() + limits.milliseconds;
  }

  since(name: string, place: number): readonly StoredEntry[] | undefined {
    const log = this.#find(name);
    if (log === undefined || place < log.gone) return undefined;
    return log.entries.filter((entry) => entry.place > place);
  }

  #find(name: string): MemoryLog | undefined {
    const log = this.#logs.get(name);
    if (log === undefined || log.expires > Date.now()) return log;
    this.#logs.delete(name);
    return undefined;
  }

  #create(name: string, place: number): MemoryLog {
    const log = { entries: [], bytes: 0, gone: place - 1, last: place - 1, expires: Number.POSITIVE_INFINITY };
    this.#logs.set(name, log);
    this.#sweeper.wake();
    return log;
  }
}

/** Drops the oldest entries beyond the limits. */
function drop(log: MemoryLog, limits: LogLimits): void {
  let count = 0;
  for (const { place, text } of log.entries) {
    if (log.entries.length - count <= limits.entries && log.bytes <= limits.bytes) break;
    log.bytes -= utf8Length(text);
    log.gone = place;
    count++;
  }
  if (count > 0) log.entries.splice(0, count);
}

/** Milliseconds between two sweeps. */
const INTERVAL = 30_000;

/** The entries that one slice of a sweep looks at: about a millisecond of work. */
const SLICE = 10_000;

/** Removes expired entries of a map now and then, in slices, as long as it has entries. */
export class Sweeper<Value extends { readonly expires: number }> {
  readonly #entries: Map<string, Value>;
  readonly #remove: (key: string, value: Value) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(entries: Map<string, Value>, remove: (key: string, value: Value) => void) {
    this.#entries = entries;
    this.#remove = remove;
  }

  /** Call this after an entry was added. */
  wake(): void {
    if (this.#timer === undefined) this.#schedule(INTERVAL, () => this.#sweep(this.#entries.entries()));
  }

  #sweep(rest: IterableIterator<[string, Value]>): void {
    const now = Date.now();
    for (let looked = 0; looked < SLICE; looked++) {
      const { done, value } = rest.next();
      if (done) {
        this.#timer = undefined;
        if (this.#entries.size > 0) this.wake();
        return;
      }
      if (value[1].expires <= now) this.#remove(value[0], value[1]);
    }
    this.#schedule(1, () => this.#sweep(rest));
  }

  #schedule(milliseconds: number, work: () => void): void {
    this.#timer = setTimeout(work, milliseconds);
    // In Node, this timer must not keep the process alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }
}
