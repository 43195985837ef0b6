import type { Wire } from "../../protocol/messages.ts";

/** The memory that all logs of an endpoint share. */
export interface ReplayBudget {
  used: number;
  readonly max: number;
  /** Called when more than `max` is used. */
  exceeded(): void;
}

interface Entry {
  readonly stream: number;
  readonly position: number;
  readonly wire: Wire;
  readonly size: number;
}

/** A longer log drops its oldest events, however small they are. */
const MAX_ENTRIES = 1000;

/** The latest events of one session, for a client that lost its connection and reconnects. */
export class EventLog {
  readonly #budget: ReplayBudget;
  readonly #maxBytes: number;
  #entries: Entry[] = [];
  #bytes = 0;

  constructor(maxBytes: number, budget: ReplayBudget) {
    this.#maxBytes = maxBytes;
    this.#budget = budget;
  }

  append(stream: number, position: number, wire: Wire): void {
    const size = typeof wire === "string" ? wire.length : wire.reduce((sum, part) => sum + part.length, 0);
    this.#entries.push({ stream, position, wire, size });
    this.#count(size);
    let dropped = 0;
    let excess = this.#bytes - this.#maxBytes;
    while (dropped < this.#entries.length && (excess > 0 || this.#entries.length - dropped > MAX_ENTRIES)) {
      excess -= this.#entries[dropped]?.size ?? 0;
      dropped++;
    }
    for (const entry of this.#entries.splice(0, dropped)) this.#count(-entry.size);
    if (this.#budget.used > this.#budget.max) this.#budget.exceeded();
  }

  /** The events of a stream after a position; undefined if some of them were dropped, or none was ever kept. */
  after(stream: number, position: number): readonly Wire[] | undefined {
    const events = this.#entries.filter((entry) => entry.stream === stream);
    const first = events[0];
    if (first === undefined || first.position > position + 1) return undefined;
    return events.filter((entry) => entry.position > position).map((entry) => entry.wire);
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
