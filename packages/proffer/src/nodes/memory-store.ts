import { MemoryStore } from "../server/store.ts";
import { MemoryLogs } from "./memory-logs.ts";
import { MemoryRecords } from "./memory-records.ts";
import type { LogLimits, RecordChange, RecordChanged, RecordFields, SharedStore, StoredEntry } from "./store.ts";

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
