import type { LogLimits, StoredEntry } from "./store.ts";

interface MemoryLog {
  entries: StoredEntry[];
  bytes: number;
  /** The place of the last entry that was dropped. */
  dropped: number;
  expires: number;
}

/** Logs in the memory of this process. */
export class MemoryLogs {
  readonly #logs = new Map<string, MemoryLog>();

  append(name: string, entries: readonly StoredEntry[], limits: LogLimits): void {
    const now = Date.now();
    this.#forgetExpired(now);
    const log = this.#logs.get(name) ?? { entries: [], bytes: 0, dropped: 0, expires: 0 };
    for (const entry of entries) {
      const last = log.entries.at(-1)?.place ?? log.dropped;
      if (entry.place <= last) continue;
      log.entries.push(entry);
      log.bytes += entry.text.length;
    }
    while (log.entries.length > limits.entries || log.bytes > limits.bytes) {
      const [oldest] = log.entries.splice(0, 1);
      if (oldest === undefined) break;
      log.bytes -= oldest.text.length;
      log.dropped = oldest.place;
    }
    log.expires = now + limits.milliseconds;
    // The logs that expire first come first, if all have the same limits.
    this.#logs.delete(name);
    this.#logs.set(name, log);
  }

  since(name: string, place: number): readonly StoredEntry[] | undefined {
    const log = this.#logs.get(name);
    if (log === undefined || log.expires <= Date.now() || place < log.dropped) return undefined;
    return log.entries.filter((entry) => entry.place > place);
  }

  #forgetExpired(now: number): void {
    for (const [name, { expires }] of this.#logs) {
      if (expires > now) return;
      this.#logs.delete(name);
    }
  }
}
