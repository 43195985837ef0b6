import { RpcError } from "../protocol/errors.ts";
import { MemoryRecord } from "./memory-record.ts";
import type { RecordChange, RecordChanged, RecordFields } from "./store.ts";
import { Sweeper } from "./sweeper.ts";

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
