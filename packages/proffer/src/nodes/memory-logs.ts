import { utf8Length } from "../support/bytes.ts";
import type { LogLimits, StoredEntry } from "./store.ts";
import { Sweeper } from "./sweeper.ts";

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
