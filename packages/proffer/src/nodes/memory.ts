import { unref } from "../support/async.ts";
import { NotYet, RunningJobs, retryDelay } from "./jobs.ts";
import { MemorySharedStore } from "./memory-store.ts";
import type { Bus, Cluster, Queue, QueueWork, QueueWorker, QueueWorkOptions } from "./ports.ts";
import { Topics } from "./topics.ts";

/** Creates the ports that the nodes of a server share if all of them run in this process, as in tests. */
export function memoryCluster(): Required<Cluster> {
  const topics = new Topics();
  const bus: Bus = {
    publish: (topic, message) => topics.hear(topic, message),
    subscribe: (topic, listener) => topics.add(topic, listener),
  };
  return { store: new MemorySharedStore(), bus, queue: new MemoryQueues() };
}

interface Workplace {
  readonly jobs: RunningJobs;
  readonly concurrency: number;
  /** Resolves when the last job has ended after `stop`. */
  stopped: Promise<void> | undefined;
}

/** A queue for each server, in the memory of this process. */
class MemoryQueues implements Queue {
  readonly #queues = new Map<string, MemoryQueue>();

  push(job: string, server?: string): void {
    this.#of(server).push(job);
  }

  work(work: QueueWork, options: QueueWorkOptions): QueueWorker {
    return this.#of(options.server).work(work, options);
  }

  waiting(server?: string): number {
    return this.#of(server).waiting;
  }

  #of(server = ""): MemoryQueue {
    const queue = this.#queues.get(server) ?? new MemoryQueue();
    this.#queues.set(server, queue);
    return queue;
  }
}

class MemoryQueue {
  /** The jobs that nobody works on, in order. */
  readonly #waiting = new Set<string>();
  /** The jobs that wait, are delayed or are worked on, with the number of their failures. */
  readonly #failures = new Map<string, number>();
  readonly #places = new Set<Workplace>();
  #delivers = false;

  push(job: string): void {
    if (this.#failures.has(job)) return;
    this.#failures.set(job, 0);
    this.#wait(job);
  }

  work(work: QueueWork, { concurrency }: QueueWorkOptions): QueueWorker {
    const place: Workplace = { jobs: new RunningJobs(work), concurrency, stopped: undefined };
    this.#places.add(place);
    this.#deliver();
    return {
      stop: (grace) => {
        this.#places.delete(place);
        place.stopped ??= place.jobs.end(grace);
        return place.stopped;
      },
    };
  }

  get waiting(): number {
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
      if (place.jobs.size >= place.concurrency) continue;
      if (free === undefined || place.jobs.size < free.jobs.size) free = place;
    }
    return free;
  }

  async #run(place: Workplace, job: string): Promise<void> {
    try {
      await place.jobs.run(job);
      this.#failures.delete(job);
    } catch (error) {
      if (error instanceof NotYet) error.ready.then(() => this.#wait(job));
      else this.#again(job, place.stopped !== undefined);
    }
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
    unref(setTimeout(() => this.#wait(job), retryDelay(failures)));
  }

  #wait(job: string): void {
    this.#waiting.add(job);
    this.#deliver();
  }
}
