import { toBase64Url } from "../support/bytes.ts";
import { sha256 } from "../support/run-time.ts";
import type { SealingServer } from "../support/seal.ts";
import type { SharedStore } from "./ports.ts";

/** Milliseconds between the ends of two slots, for short and for long lives. */
const SHORT = 600_000;
const LONG = 14_400_000;
const DAY = 86_400_000;

/**
 * Counts the tasks or sessions of each caller by the time at which they would expire, so that those that were abandoned
 * are not counted forever. One that changes late may outlive its slot: the count protects the store and need not be exact.
 */
export class Quota {
  readonly #store: SharedStore;
  readonly #kind: string;
  readonly #max: number;
  readonly #server: SealingServer;

  constructor(store: SharedStore, kind: "tasks" | "sessions", max: number, server: SealingServer) {
    this.#store = store;
    this.#kind = kind;
    this.#max = max;
    this.#server = server;
  }

  /** The slot of a task or session that begins now. */
  slotOf(life: number): string {
    const interval = intervalOf(life);
    return String(Math.ceil((Date.now() + life) / interval) * interval);
  }

  /** Counts one more of a slot; false if the caller has too many. */
  async take(caller: string | null, slot: string, life: number): Promise<boolean> {
    const now = Date.now();
    const key = await this.#keyOf(caller);
    const { fields } = await this.#store.change(key, {
      add: { [slot]: 1 },
      expire: Math.max(life + intervalOf(life), DAY),
    });
    const ended = Object.keys(fields).filter((end) => Number(end) <= now);
    if (ended.length > 0) await this.#store.change(key, { remove: ended, returning: [] });
    const live = Object.entries(fields).reduce((sum, [end, count]) => sum + (Number(end) > now ? Number(count) : 0), 0);
    if (live <= this.#max) return true;
    await this.release(caller, slot);
    return false;
  }

  /** One lives longer, and belongs to a later slot now. */
  async move(caller: string | null, from: string, to: string, life: number): Promise<void> {
    const expire = Math.max(life + intervalOf(life), DAY);
    await this.#store.change(await this.#keyOf(caller), { add: { [from]: -1, [to]: 1 }, expire, returning: [] });
  }

  /** One of that slot has ended. */
  async release(caller: string | null, slot: string): Promise<void> {
    const key = await this.#keyOf(caller);
    // Not if the count has expired: it would begin below zero.
    const known = await this.#store.read(key, [slot]);
    if (known?.[slot] !== undefined) await this.#store.change(key, { add: { [slot]: -1 }, returning: [] });
  }

  async #keyOf(caller: string | null): Promise<string> {
    return caller === null ? this.#kind : `${this.#kind} ${await secretDigest(this.#server, caller)}`;
  }
}

/** The store holds no caller in plain text, and there are so few addresses that a digest needs a secret. */
export async function secretDigest({ keyOwner }: SealingServer, text: string): Promise<string> {
  const [key] = keyOwner.keys ?? [];
  return sha256(`${key === undefined ? "" : toBase64Url(key)} ${text}`);
}

function intervalOf(life: number): number {
  return life > 24 * SHORT ? LONG : SHORT;
}
