import { unref } from "../support/async.ts";

/** A call that waits for its reply. */
interface Waiting {
  readonly since: number;
  expire(): void;
}

/** A timer that fires this many milliseconds late did so because the event loop was blocked. */
const LATE = 100;

/** Ends calls that have waited too long. All have the same limit, so one timer, for the oldest of them, is enough. */
export class Deadlines {
  readonly #limit: number;
  /** In the order in which they began. */
  readonly #waiting = new Set<Waiting>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The outcome of a call, or the error that `expired` returns when its time is over. */
  limit<Reply>(reply: Promise<Reply>, expired: () => Error): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const call: Waiting = { since: performance.now(), expire: () => reject(expired()) };
      this.#waiting.add(call);
      if (this.#timer === undefined) this.#wait(this.#limit, call.since + this.#limit);
      reply.then(resolve, reject).finally(() => this.#waiting.delete(call));
    });
  }

  #wait(milliseconds: number, due: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // If a handler blocked the event loop, replies may have arrived that were not read yet: they come first.
      if (performance.now() - due > LATE) this.#wait(LATE / 2, performance.now() + LATE / 2);
      else this.#expire();
    }, milliseconds);
    unref(this.#timer);
  }

  #expire(): void {
    const now = performance.now();
    for (const call of this.#waiting) {
      const due = call.since + this.#limit;
      // Timers may fire up to a millisecond early.
      if (due > now + 1) {
        this.#wait(due - now, due);
        return;
      }
      this.#waiting.delete(call);
      call.expire();
    }
  }
}
