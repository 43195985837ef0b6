import { RpcError } from "../protocol/errors.ts";

/** State that several processes must agree on. Memory is enough for one process. */
export interface Store {
  /**
   * Claims a key for that many milliseconds: true for the first caller, false for all others. `owner` is the id of the
   * principal, undefined for anonymous callers: a store with limited space should not let one owner take all of it.
   */
  claim(key: string, milliseconds: number, owner?: string): boolean | Promise<boolean>;
  /**
   * Counts a key and returns how often it was counted, this time included. The count ends that many milliseconds after
   * the first. `rateLimit` of `proffer/policy` needs it.
   */
  count?(key: string, milliseconds: number): number | Promise<number>;
}

interface Claim {
  readonly expires: number;
  readonly owner: string | undefined;
}

/** The keys of all owners together. */
const MAX_KEYS = 100_000;

/** The keys that are counted. */
const MAX_COUNTS = 10_000;

/** A store in the memory of this process. */
export class MemoryStore implements Store {
  /** In the order in which they were claimed. */
  readonly #claims = new Map<string, Claim>();
  /** The number of keys of each owner. */
  readonly #owned = new Map<string | undefined, number>();

  readonly #counts = new Map<string, { count: number; readonly expires: number }>();

  /** With 10,000 keys the oldest one is forgotten: to refuse would let many callers lock out a new one. */
  count(key: string, milliseconds: number): number {
    const now = Date.now();
    const known = this.#counts.get(key);
    if (known !== undefined && known.expires > now) return ++known.count;
    this.#counts.delete(key);
    for (const [oldest, { expires }] of this.#counts) {
      if (expires > now && this.#counts.size < MAX_COUNTS) break;
      this.#counts.delete(oldest);
    }
    this.#counts.set(key, { count: 1, expires: now + milliseconds });
    return 1;
  }

  claim(key: string, milliseconds: number, owner?: string): boolean {
    const now = Date.now();
    this.#forgetExpired(now);
    const earlier = this.#claims.get(key);
    if (earlier !== undefined) {
      if (earlier.expires > now) return false;
      this.#forget(key, earlier);
    }
    const owned = this.#owned.get(owner) ?? 0;
    // A principal may have a tenth as many keys as are free, so that the space shrinks slowly, also for an attacker with
    // many accounts. Anonymous callers are many and cannot be told apart: together they may have as many as are free.
    // Refusing is safe, forgetting an unexpired key would not be.
    const parts = owner === undefined ? 1 : 10;
    if (owned * parts >= MAX_KEYS - this.#claims.size) {
      throw new RpcError("busy", `This caller has ${owned} single-use answers that have not expired. Try again later.`);
    }
    this.#claims.set(key, { expires: now + milliseconds, owner });
    this.#owned.set(owner, owned + 1);
    return true;
  }

  /**
   * Forgets the oldest keys up to the first one that has not expired. Keys behind it may have expired too; they wait at
   * most as long as a key is claimed for. Examining them all would let a caller without space cause work.
   */
  #forgetExpired(now: number): void {
    for (const [key, claim] of this.#claims) {
      if (claim.expires > now) return;
      this.#forget(key, claim);
    }
  }

  #forget(key: string, { owner }: Claim): void {
    this.#claims.delete(key);
    const rest = (this.#owned.get(owner) ?? 0) - 1;
    if (rest > 0) this.#owned.set(owner, rest);
    else this.#owned.delete(owner);
  }
}
