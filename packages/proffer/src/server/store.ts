/** What several processes must agree on. Memory is enough for one; other engines serve many. */
export interface Store {
  /** Takes a key for so many milliseconds; true for the first who does, false for everyone after. */
  claim(key: string, milliseconds: number): boolean | Promise<boolean>;
}

/** More keys than this are not remembered; then nothing can be claimed until some have expired. */
const MAX_KEYS = 100_000;

/** A store in the memory of this process. */
export class MemoryStore implements Store {
  readonly #expiries = new Map<string, number>();

  claim(key: string, milliseconds: number): boolean {
    const now = Date.now();
    const expiry = this.#expiries.get(key);
    if (expiry !== undefined && expiry > now) return false;
    if (this.#expiries.size >= MAX_KEYS) this.#sweep(now);
    // Full of keys that are still good: refusing is safe, forgetting one of them would not be.
    if (this.#expiries.size >= MAX_KEYS) return false;
    this.#expiries.set(key, now + milliseconds);
    return true;
  }

  #sweep(now: number): void {
    for (const [key, expiry] of this.#expiries) if (expiry <= now) this.#expiries.delete(key);
  }
}
