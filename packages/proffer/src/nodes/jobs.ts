import { unref } from "../support/async.ts";
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

/** A job cannot be worked on yet, which is no failure: it is delivered again when `ready` resolves. */
export class NotYet extends Error {
  readonly ready: Promise<void>;

  constructor(ready: Promise<void>) {
    super("The caller of the job has its share of the node.");
    this.ready = ready;
  }
}

/** Milliseconds after which it does at the latest. */
export const LONGEST_WAIT = 60_000;

/** The part of a node that a caller leaves to others. */
const LEFT = 1 / 10;

/** Handlers of one caller that may outlive their jobs, if the node has fewer jobs. */
const MIN_LATE = 10;

/** A caller with jobs on a node. */
interface Worked {
  jobs: number;
  /** Handlers that outlived their jobs. */
  late: number;
  /** Its jobs that were put back, in order, with the functions that deliver them again. */
  readonly waiting: Map<string, () => void>;
}

/**
 * Divides the jobs that a node works on at once: of those that other callers leave, a caller has all but a tenth. So one
 * with many long jobs never has all of the node, and another one always finds room.
 */
export class RunShares {
  readonly #max: number;
  readonly #maxLate: number;
  readonly #callers = new Map<string, Worked>();
  #jobs = 0;

  constructor(max: number) {
    this.#max = max;
    this.#maxLate = Math.max(MIN_LATE, max);
  }

  /** Works on a job for a caller. @throws {NotYet} if the caller has its share. */
  async run(caller: string, job: string, work: () => Promise<void>): Promise<void> {
    const own = this.#of(caller);
    if (!this.#hasRoom(own)) throw new NotYet(putBack(own, job));
    own.jobs++;
    this.#jobs++;
    try {
      await work();
    } finally {
      own.jobs--;
      this.#jobs--;
      this.#deliverNext();
    }
  }

  /** A handler outlived its job: it counts for its caller until it ends, and takes no room from others. */
  hold(caller: string, handler: Promise<void>): void {
    const own = this.#of(caller);
    own.late++;
    void handler.then(() => {
      own.late--;
      this.#deliverNext();
    });
  }

  /** Whether a caller has as many such handlers as the node has jobs. */
  isHeld(caller: string): boolean {
    return (this.#callers.get(caller)?.late ?? 0) >= this.#maxLate;
  }

  #of(caller: string): Worked {
    const own = this.#callers.get(caller) ?? { jobs: 0, late: 0, waiting: new Map() };
    this.#callers.set(caller, own);
    return own;
  }

  /** The node takes no more jobs: those that wait are for others. */
  close(): void {
    for (const { waiting } of this.#callers.values()) for (const deliver of waiting.values()) deliver();
  }

  /** Whether a caller may have one more job. One that has none always may. */
  #hasRoom({ jobs, late }: Worked): boolean {
    const room = this.#max - this.#jobs + jobs;
    return late < this.#maxLate && jobs < Math.max(1, room - Math.ceil(room * LEFT));
  }

  /** Delivers one job that waits: that of the caller with the fewest. */
  #deliverNext(): void {
    let next: Worked | undefined;
    for (const [caller, own] of this.#callers) {
      if (own.waiting.size === 0) {
        if (own.jobs + own.late === 0) this.#callers.delete(caller);
      } else if (this.#hasRoom(own) && own.jobs < (next?.jobs ?? Number.POSITIVE_INFINITY)) next = own;
    }
    const [deliver] = next?.waiting.values() ?? [];
    deliver?.();
  }
}

function putBack({ waiting }: Worked, job: string): Promise<void> {
  return new Promise((resolve) => {
    const deliver = () => {
      if (waiting.get(job) === deliver) waiting.delete(job);
      resolve();
    };
    // At the end of the order.
    waiting.delete(job);
    waiting.set(job, deliver);
    unref(setTimeout(deliver, LONGEST_WAIT));
  });
}
