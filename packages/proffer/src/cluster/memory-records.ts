import type { RecordChange, RecordChanged, RecordFields } from "./store.ts";

interface MemoryRecord {
  readonly fields: Map<string, string>;
  expires: number;
}

/** Milliseconds between two removals of expired records. */
const SWEEP_INTERVAL = 30_000;

/** Records in the memory of this process. */
export class MemoryRecords {
  readonly #records = new Map<string, MemoryRecord>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #latest = 0;

  get size(): number {
    return this.#records.size;
  }

  read(key: string, names?: readonly string[]): RecordFields | undefined {
    const record = this.#find(key);
    if (record === undefined) return undefined;
    if (names === undefined) return Object.fromEntries(record.fields);
    const found: Record<string, string> = {};
    for (const name of names) {
      const value = record.fields.get(name);
      if (value !== undefined) found[name] = value;
    }
    return found;
  }

  change(key: string, change: RecordChange): RecordChanged {
    const known = this.#find(key);
    const fields = known?.fields ?? new Map<string, string>();
    for (const [name, value] of Object.entries(change.if ?? {})) {
      if (fields.get(name) !== value) return { made: false, fields: Object.fromEntries(fields) };
    }
    this.#apply(fields, change);
    if (fields.size === 0) this.#records.delete(key);
    else {
      const record = known ?? { fields, expires: Number.POSITIVE_INFINITY };
      if (change.expire !== undefined) record.expires = Date.now() + change.expire;
      this.#records.set(key, record);
      this.#timer ??= this.#schedule();
    }
    return { made: true, fields: Object.fromEntries(fields) };
  }

  remove(key: string): void {
    this.#records.delete(key);
  }

  #apply(fields: Map<string, string>, change: RecordChange): void {
    const { removePrefix } = change;
    if (removePrefix !== undefined) {
      for (const name of fields.keys()) if (name.startsWith(removePrefix)) fields.delete(name);
    }
    for (const name of change.remove ?? []) fields.delete(name);
    for (const [name, value] of Object.entries(change.set ?? {})) fields.set(name, value);
    for (const [name, value] of Object.entries(change.setOnce ?? {})) if (!fields.has(name)) fields.set(name, value);
    for (const [name, more] of Object.entries(change.add ?? {})) {
      fields.set(name, String(Number(fields.get(name) ?? 0) + more));
    }
    for (const name of change.stamp ?? []) fields.set(name, String(this.#now()));
  }

  /** The clock of a computer may be set back. */
  #now(): number {
    this.#latest = Math.max(this.#latest, Date.now());
    return this.#latest;
  }

  #find(key: string): MemoryRecord | undefined {
    const record = this.#records.get(key);
    if (record === undefined || record.expires > Date.now()) return record;
    this.#records.delete(key);
    return undefined;
  }

  #schedule(): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => this.#sweep(), SWEEP_INTERVAL);
    // In Node, this timer must not keep the process alive.
    (timer as { unref?: () => void }).unref?.();
    return timer;
  }

  #sweep(): void {
    const now = Date.now();
    for (const [key, { expires }] of this.#records) if (expires <= now) this.#records.delete(key);
    this.#timer = this.#records.size === 0 ? undefined : this.#schedule();
  }
}
