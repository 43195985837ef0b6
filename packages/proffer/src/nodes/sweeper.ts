/** Milliseconds between two sweeps. */
const INTERVAL = 30_000;

/** The entries that one slice of a sweep looks at: about a millisecond of work. */
const SLICE = 10_000;

/** Removes expired entries of a map now and then, in slices, as long as it has entries. */
export class Sweeper<Value extends { readonly expires: number }> {
  readonly #entries: Map<string, Value>;
  readonly #remove: (key: string, value: Value) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(entries: Map<string, Value>, remove: (key: string, value: Value) => void) {
    this.#entries = entries;
    this.#remove = remove;
  }

  /** Call this after an entry was added. */
  wake(): void {
    if (this.#timer === undefined) this.#schedule(INTERVAL, () => this.#sweep(this.#entries.entries()));
  }

  #sweep(rest: IterableIterator<[string, Value]>): void {
    const now = Date.now();
    for (let looked = 0; looked < SLICE; looked++) {
      const { done, value } = rest.next();
      if (done) {
        this.#timer = undefined;
        if (this.#entries.size > 0) this.wake();
        return;
      }
      if (value[1].expires <= now) this.#remove(value[0], value[1]);
    }
    this.#schedule(1, () => this.#sweep(rest));
  }

  #schedule(milliseconds: number, work: () => void): void {
    this.#timer = setTimeout(work, milliseconds);
    // In Node, this timer must not keep the process alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }
}
