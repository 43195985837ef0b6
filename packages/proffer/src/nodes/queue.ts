import type { Later } from "./store.ts";

/** Does the work that a job names. If it rejects, the job is delivered again, later. */
export type QueueWork = (job: string, signal: AbortSignal) => Promise<void>;

export interface QueueWorkOptions {
  /** The number of jobs that this node works on at once. */
  readonly concurrency: number;
}

/** The work of one node. */
export interface QueueWorker {
  /**
   * Takes no more jobs, aborts the signals of those that still run after the grace time in milliseconds, and resolves
   * when all have ended. A job that rejects then is delivered to another node at once.
   */
  stop(grace: number): Promise<void>;
}

/**
 * Wakes up nodes: durable once `push` has resolved, delivered at least once, in any order. A job is a name of letters,
 * digits, "-", "_" and "."; one that waits or is worked on is not added again.
 */
export interface Queue {
  push(job: string): Later<void>;
  work(work: QueueWork, options: QueueWorkOptions): QueueWorker;
  /** The number of jobs that wait for a node; rejects if the queue cannot be reached. */
  waiting?(): Later<number>;
}
