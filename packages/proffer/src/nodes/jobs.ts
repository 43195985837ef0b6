import type { QueueWork } from "./ports.ts";

/** Milliseconds before a job that failed is delivered again: doubled with each failure. */
const FIRST_DELAY = 500;
const LONGEST_DELAY = 30_000;

export function retryDelay(failures: number): number {
  return Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.min(failures - 1, 10));
}

/** The jobs that one node works on. */
export class RunningJobs {
  readonly #work: QueueWork;
  readonly #running = new Set<AbortController>();
  #onIdle: (() => void) | undefined;

  constructor(work: QueueWork) {
    this.#work = work;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Works on a job; rejects if the work does. */
  async run(job: string): Promise<void> {
    const abort = new AbortController();
    this.#running.add(abort);
    try {
      await this.#work(job, abort.signal);
    } finally {
      this.#running.delete(abort);
      if (this.#running.size === 0) this.#onIdle?.();
    }
  }

  /** Aborts the jobs that still run after the grace time in milliseconds, and resolves when all have ended. */
  async end(grace: number): Promise<void> {
    if (this.#running.size === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    const abortAll = () => {
      for (const abort of this.#running) abort.abort(new DOMException("The node stops.", "AbortError"));
    };
    // Without a timer, a test with fake timers can stop a node.
    const timer = grace > 0 ? setTimeout(abortAll, grace) : abortAll();
    await idle;
    if (timer) clearTimeout(timer);
  }
}
