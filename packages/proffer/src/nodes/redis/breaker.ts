/** The failures in a row after which calls are not tried. */
const FAILURES = 5;

/** Milliseconds for which they are not. */
const PAUSE = 1_000;

/** A circuit breaker: after failures in a row, calls fail at once for a second; then one call probes the server. */
export class Breaker {
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
