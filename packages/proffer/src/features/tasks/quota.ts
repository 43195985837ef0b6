import type { SharedStore } from "../../nodes/ports.ts";
import { sha256 } from "../../support/run-time.ts";

/** Milliseconds between the ends of two slots, for short and for long lives. */
const SHORT = 600_000;
const LONG = 14_400_000;
const DAY = 86_400_000;

/**
 * Counts the tasks of each caller by the time at which they would expire, so that tasks that were abandoned are not
 * counted forever. A task that changes late may outlive its slot: the count protects the store and need not be exact.
 */
export class Quota {
  readonly #store: SharedStore;
  readonly #max: number;

  constructor(store: SharedStore, max: number) {
    this.#store = store;
    this.#max = max;
  }

  /** The slot of a task that begins now. */
  slotOf(ttl: number): string {
    const interval = intervalOf(ttl);
    return String(Math.ceil((Date.now() + ttl) / interval) * interval);
  }

  /** Counts one more task of a slot; false if the caller has too many. */
  async take(owner: string | null, slot: string, ttl: number): Promise<boolean> {
    const now = Date.now();
    const key = await quotaKey(owner);
    const { fields } = await this.#store.change(key, {
      add: { [slot]: 1 },
      expire: Math.max(ttl + intervalOf(ttl), DAY),
    });
    const ended = Object.keys(fields).filter((end) => Number(end) <= now);
    if (ended.length > 0) await this.#store.change(key, { remove: ended, returning: [] });
    const live = Object.entries(fields).reduce((sum, [end, count]) => sum + (Number(end) > now ? Number(count) : 0), 0);
    if (live <= this.#max) return true;
    await this.release(owner, slot);
    return false;
  }

  /** A task of that slot has ended. */
  async release(owner: string | null, slot: string): Promise<void> {
    const key = await quotaKey(owner);
    // Not if the count has expired: it would begin below zero.
    const known = await this.#store.read(key, [slot]);
    if (known?.[slot] !== undefined) await this.#store.change(key, { add: { [slot]: -1 }, returning: [] });
  }
}

function intervalOf(ttl: number): number {
  return ttl > 24 * SHORT ? LONG : SHORT;
}

/** The store holds no principal's id in plain text. */
async function quotaKey(owner: string | null): Promise<string> {
  return owner === null ? "tasks" : `tasks ${await sha256(owner)}`;
}
