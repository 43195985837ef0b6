import type { RecordChange, RecordFields } from "./store.ts";

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
