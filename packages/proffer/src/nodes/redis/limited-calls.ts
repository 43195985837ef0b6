import { Deadlines, type Waiting } from "../deadlines.ts";
import { StoreUnavailable } from "../ports.ts";
import { failureOf, isOutage } from "./failures.ts";

export interface GuardLimits {
  readonly commandTimeout: number;
  readonly maxInFlight: number;
}

/**
 * Answers each call of a client library within the time limit. All libraries wait forever by default if there is no
 * connection; a command that was given up may still be executed later.
 */
export class Guard {
  readonly #breaker = new Breaker();
  readonly #deadlines: Deadlines;
  readonly #maxInFlight: number;
  /** Calls that the library has not settled, also those that were given up: they occupy its queue. */
  #inFlight = 0;

  constructor({ commandTimeout, maxInFlight }: GuardLimits) {
    this.#deadlines = new Deadlines(commandTimeout);
    this.#maxInFlight = maxInFlight;
  }

  /** @throws {StoreUnavailable} */
  run<Reply>(send: () => Promise<Reply>): Promise<Reply> {
    if (this.#inFlight >= this.#maxInFlight) return Promise.reject(new StoreUnavailable("overloaded"));
    if (!this.#breaker.admit()) return Promise.reject(new StoreUnavailable("suspended"));
    this.#inFlight++;
    return new Promise((resolve, reject) => {
      const call = {
        since: performance.now(),
        expire: () => {
          this.#breaker.failed();
          reject(new StoreUnavailable("timeout", new Error("Redis did not reply in time.")));
        },
      };
      this.#deadlines.add(call);
      attempt(send).then(
        (reply) => {
          this.#settled(call);
          this.#breaker.succeeded();
          resolve(reply);
        },
        (error) => {
          this.#settled(call);
          const failure = failureOf(error);
          if (isOutage(failure)) this.#breaker.failed();
          else this.#breaker.succeeded();
          reject(failure);
        },
      );
    });
  }

  #settled(call: Waiting): void {
    this.#inFlight--;
    this.#deadlines.remove(call);
  }
}

/** A closed client may throw instead of rejecting. */
function attempt<Reply>(send: () => Promise<Reply>): Promise<Reply> {
  try {
    return send();
  } catch (error) {
    return Promise.reject(error);
  }
}

/** The failures in a row after which calls are not tried. */
const FAILURES = 5;

/** Milliseconds for which they are not. */
const PAUSE = 1_000;

/** A circuit breaker: after failures in a row, calls fail at once for a second; then one call probes the server. */
class Breaker {
  #failures = 0;
  #closedAt = 0;
  #probes = false;

  /** Whether a call may be tried. It must be followed by `succeeded` or `failed`. */
  admit(): boolean {
    if (this.#failures < FAILURES) return true;
    if (this.#probes || performance.now() < this.#closedAt) return false;
    this.#probes = true;
    return true;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#probes = false;
  }

  failed(): void {
    this.#probes = false;
    if (++this.#failures >= FAILURES) this.#closedAt = performance.now() + PAUSE;
  }
}
