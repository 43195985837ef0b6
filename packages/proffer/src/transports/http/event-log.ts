import type { Wire } from "../../protocol/messages.ts";

/** How much all the logs of an endpoint may hold together. */
export interface ReplayBudget {
  used: number;
  readonly max: number;
  /** Hears that more is used than there may be. */
  exceeded(): void;
}

interface Entry {
  readonly stream: number;
  readonly place: number;
  readonly wire: Wire;
  readonly size: number;
}

/** A log longer than this forgets its beginning, however small its events are. */
const MAX_ENTRIES = 1000;

/** The latest events of one session, for a client that lost its connection and comes back. */
export class EventLog {
  readonly #budget: ReplayBudget;
  readonly #maxBytes: number;
  #entries: Entry[] = [];
  #bytes = 0;

  constructor(maxBytes: number, budget: ReplayBudget) {
    this.#maxBytes = maxBytes;
    this.#budget = budget;
  }

  append(stream: number, place: number, wire: Wire): void {
    const size = typeof wire === "string" ? wire.length : wire.reduce((sum, part) => sum + part.length, 0);
    this.#entries.push({ stream, place, wire, size });
    this.#count(size);
    let forgotten = 0;
    let excess = this.#bytes - this.#maxBytes;
    while (forgotten < this.#entries.length && (excess > 0 || this.#entries.length - forgotten > MAX_ENTRIES)) {
      excess -= this.#entries[forgotten]?.size ?? 0;
      forgotten++;
    }
    for (const entry of this.#entries.splice(0, forgotten)) this.#count(-entry.size);
    if (this.#budget.used > this.#budget.max) this.#budget.exceeded();
  }

  /** The events of a stream after a place; undefined if some of them are forgotten, or none was ever kept. */
  after(stream: number, place: number): readonly Wire[] | undefined {
    const events = this.#entries.filter((entry) => entry.stream === stream);
    const first = events[0];
    if (first === undefined || first.place > place + 1) return undefined;
    return events.filter((entry) => entry.place > place).map((entry) => entry.wire);
  }

  clear(): void {
    this.#count(-this.#bytes);
    this.#entries = [];
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#budget.used += bytes;
  }
}
