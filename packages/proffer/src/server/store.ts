/** State that several processes must agree on. Memory is enough for one process. */
export interface Store {
  /** Claims a key for that many milliseconds: true for the first caller, false for all others. */
  claim(key: string, milliseconds: number): boolean | Promise<boolean>;
}

/** With more keys, nothing can be claimed until some have expired. */
const MAX_KEYS = 100_000;

/** A store in the memory of this process. */
export class MemoryStore implements Store {
  readonly #expiries = new Map<string, number>();

  claim(key: string, milliseconds: number): boolean {
    const now = Date.now();
    const expiry = this.#expiries.get(key);
    if (expiry !== undefined && expiry > now) return false;
    if (this.#expiries.size >= MAX_KEYS) this.#sweep(now);
    // Full of unexpired keys: refusing is safe, forgetting one of them would not be.
    if (this.#expiries.size >= MAX_KEYS) return false;
    this.#expiries.set(key, now + milliseconds);
    return true;
  }

  #sweep(now: number): void {
    for (const [key, expiry] of this.#expiries) if (expiry <= now) this.#expiries.delete(key);
  }
}
