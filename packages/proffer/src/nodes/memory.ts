import { MemorySharedStore } from "./memory-store.ts";
import type { Bus, BusListener, Cluster, Queue, QueueWork, QueueWorker, QueueWorkOptions } from "./ports.ts";
import { Topics } from "./topics.ts";

/** Creates what the nodes of a server share if all of them run in this process, as in tests. */
export function memoryCluster(): Required<Cluster> {
  return { store: new MemorySharedStore(), bus: new MemoryBus(), queue: new MemoryQueue() };
}

/** A bus between the servers of one process. */
class MemoryBus implements Bus {
  readonly #topics = new Topics();

  publish(topic: string, message: string): void {
    this.#topics.hear(topic, message);
  }

  subscribe(topic: string, listener: BusListener): () => void {
    return this.#topics.add(topic, listener);
  }
}

interface Workplace {
  readonly work: QueueWork;
  readonly concurrency: number;
  readonly running: Map<string, AbortController>;
  /** Resolves when the last job has ended after `stop`. */
  stopped: Promise<void> | undefined;
  onIdle: (() => void) | undefined;
}

/** Milliseconds before a job that failed is delivered again: doubled with each failure. */
const FIRST_DELAY = 500;
const LONGEST_DELAY = 30_000;

/** A queue in the memory of this process. */
class MemoryQueue implements Queue {
  /** The jobs that nobody works on, in order. */
  readonly #waiting = new Set<string>();
  /** The jobs that wait, are delayed or are worked on, with the number of their failures. */
  readonly #failures = new Map<string, number>();
  readonly #places = new Set<Workplace>();
  #delivers = false;

  push(job: string): void {
    if (this.#failures.has(job)) return;
    this.#failures.set(job, 0);
    this.#waiting.add(job);
    this.#deliver();
  }

  work(work: QueueWork, { concurrency }: QueueWorkOptions): QueueWorker {
    const place: Workplace = { work, concurrency, running: new Map(), stopped: undefined, onIdle: undefined };
    this.#places.add(place);
    this.#deliver();
    return {
      stop: (grace) => {
        place.stopped ??= this.#stop(place, grace);
        return place.stopped;
      },
    };
  }

  waiting(): number {
    return this.#waiting.size;
  }

  /** Starts jobs after this turn: work must not run inside `push`, whose caller has not answered yet. */
  #deliver(): void {
    if (this.#delivers || this.#waiting.size === 0) return;
    this.#delivers = true;
    queueMicrotask(() => {
      this.#delivers = false;
      for (const job of this.#waiting) {
        const place = this.#freePlace();
        if (place === undefined) return;
        this.#waiting.delete(job);
        void this.#run(place, job);
      }
    });
  }

  /** The node with the fewest jobs, if it can take one more. */
  #freePlace(): Workplace | undefined {
    let free: Workplace | undefined;
    for (const place of this.#places) {
      if (place.running.size >= place.concurrency) continue;
      if (free === undefined || place.running.size < free.running.size) free = place;
    }
    return free;
  }

  async #run(place: Workplace, job: string): Promise<void> {
    const abort = new AbortController();
    place.running.set(job, abort);
    try {
      await place.work(job, abort.signal);
      this.#failures.delete(job);
    } catch {
      this.#again(job, place.stopped !== undefined);
    }
    place.running.delete(job);
    if (place.running.size === 0) place.onIdle?.();
    this.#deliver();
  }

  /** Delivers a job again: at once if its node stops, otherwise later. */
  #again(job: string, atOnce: boolean): void {
    const failures = (this.#failures.get(job) ?? 0) + 1;
    this.#failures.set(job, failures);
    if (atOnce) {
      this.#waiting.add(job);
      return;
    }
    const timer = setTimeout(
      () => {
        this.#waiting.add(job);
        this.#deliver();
      },
      Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (failures - 1)),
    );
    (timer as { unref?: () => void }).unref?.();
  }

  async #stop(place: Workplace, grace: number): Promise<void> {
    this.#places.delete(place);
    if (place.running.size === 0) return;
    const idle = new Promise<void>((resolve) => {
      place.onIdle = resolve;
    });
    const abortAll = () => {
      for (const abort of place.running.values()) abort.abort(new DOMException("The node stops.", "AbortError"));
    };
    // Without a timer, a test with fake timers can stop a node.
    const timer = grace > 0 ? setTimeout(abortAll, grace) : abortAll();
    await idle;
    if (timer) clearTimeout(timer);
  }
}
