/** What one process keeps for all callers, and for one of them. */
const MAX_BYTES = 64 * 1024 * 1024;
export const MAX_CALLER_BYTES = 8 * 1024 * 1024;

/** What was kept, for whom, and until when. */
interface Entry {
  readonly caller: string;
  readonly bytes: number;
  readonly expires: number;
}

/** Counts the bytes that are kept, oldest first. */
export class Ledger {
  readonly #max: number;
  readonly #maxCaller: number;
  readonly #entries: Entry[] = [];
  readonly #callers = new Map<string, number>();
  #bytes = 0;

  constructor(max: number = MAX_BYTES, maxCaller: number = MAX_CALLER_BYTES) {
    this.#max = max;
    this.#maxCaller = maxCaller;
  }

  /** Counts bytes for so many milliseconds; undefined if the caller or the process has too many. */
  take(caller: string, bytes: number, milliseconds: number): Entry | undefined {
    const now = Date.now();
    this.#forgetExpired(now);
    const own = (this.#callers.get(caller) ?? 0) + bytes;
    if (own > this.#maxCaller || this.#bytes + bytes > this.#max) return undefined;
    this.#callers.set(caller, own);
    this.#bytes += bytes;
    const entry = { caller, bytes, expires: now + milliseconds };
    this.#entries.push(entry);
    return entry;
  }

  /** Counts them no more: they were not kept. */
  drop(entry: Entry): void {
    const at = this.#entries.indexOf(entry);
    if (at >= 0) this.#forget(this.#entries.splice(at, 1));
  }

  #forgetExpired(now: number): void {
    const live = this.#entries.findIndex(({ expires }) => expires > now);
    this.#forget(this.#entries.splice(0, live < 0 ? this.#entries.length : live));
  }

  #forget(entries: readonly Entry[]): void {
    for (const { caller, bytes } of entries) {
      this.#bytes -= bytes;
      const left = (this.#callers.get(caller) ?? 0) - bytes;
      if (left > 0) this.#callers.set(caller, left);
      else this.#callers.delete(caller);
    }
  }
}
