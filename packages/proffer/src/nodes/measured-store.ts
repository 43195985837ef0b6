import type { Later, LogLimits, RecordChange, RecordChanged, RecordFields, SharedStore, StoredEntry } from "./store.ts";

/** Milliseconds: the upper bounds of the counts by duration. */
const BOUNDS = [1, 5, 25, 100, 1000] as const;

/** The operations of a shared store; `within5` are those that took at most 5 ms. */
export type StoreMetrics = Readonly<
  Record<"operations" | "errors" | "milliseconds" | `within${(typeof BOUNDS)[number]}`, number>
>;

/** Passes everything on to a store, and measures how long it takes. */
export class MeasuredStore implements SharedStore {
  readonly #store: SharedStore;
  readonly #within = BOUNDS.map(() => 0);
  #operations = 0;
  #errors = 0;
  #milliseconds = 0;

  constructor(store: SharedStore) {
    this.#store = store;
  }

  metrics(): StoreMetrics {
    const within = Object.fromEntries(BOUNDS.map((bound, index) => [`within${bound}`, this.#within[index]]));
    const totals = { operations: this.#operations, errors: this.#errors, milliseconds: this.#milliseconds };
    return { ...totals, ...within } as StoreMetrics;
  }

  get timeLimit(): number | undefined {
    return this.#store.timeLimit;
  }

  claim(key: string, milliseconds: number, owner?: string): Later<boolean> {
    return this.#measure(() => this.#store.claim(key, milliseconds, owner));
  }

  count(key: string, milliseconds: number): Later<number> {
    return this.#measure(() => this.#store.count(key, milliseconds));
  }

  read(key: string, names?: readonly string[]): Later<RecordFields | undefined> {
    return this.#measure(() => this.#store.read(key, names));
  }

  change(key: string, change: RecordChange): Later<RecordChanged> {
    return this.#measure(() => this.#store.change(key, change));
  }

  remove(key: string): Later<void> {
    return this.#measure(() => this.#store.remove(key));
  }

  append(log: string, entries: readonly StoredEntry[], limits: LogLimits): Later<void> {
    return this.#measure(() => this.#store.append(log, entries, limits));
  }

  since(log: string, place: number): Later<readonly StoredEntry[] | undefined> {
    return this.#measure(() => this.#store.since(log, place));
  }

  ping(): Later<void> {
    return this.#store.ping?.();
  }

  advice(): Later<readonly string[]> {
    return this.#store.advice?.() ?? [];
  }

  #measure<Value>(operate: () => Later<Value>): Later<Value> {
    const started = performance.now();
    let pending: Later<Value>;
    try {
      pending = operate();
    } catch (error) {
      this.#ended(started, true);
      throw error;
    }
    if (typeof (pending as Partial<Promise<Value>> | undefined)?.then !== "function") {
      this.#ended(started, false);
      return pending;
    }
    return Promise.resolve(pending).then(
      (value) => {
        this.#ended(started, false);
        return value;
      },
      (error: unknown) => {
        this.#ended(started, true);
        throw error;
      },
    );
  }

  #ended(started: number, failed: boolean): void {
    const milliseconds = performance.now() - started;
    this.#operations++;
    if (failed) this.#errors++;
    this.#milliseconds += milliseconds;
    for (const [index, bound] of BOUNDS.entries()) {
      if (milliseconds <= bound) this.#within[index] = (this.#within[index] ?? 0) + 1;
    }
  }
}
