import type { QueueWork } from "../queue.ts";
import type { BullmqJob, BullmqWorker } from "./library.ts";

/** Milliseconds that BullMQ has to close its connections, which it cannot if Redis is away. */
const CLOSE_TIME = 2_000;

/** The jobs that one node works on. */
export class Work {
  readonly #work: QueueWork;
  readonly #running = new Set<AbortController>();
  #stopped: Promise<void> | undefined;
  #idle: (() => void) | undefined;

  constructor(work: QueueWork) {
    this.#work = work;
  }

  /** Works on a job for BullMQ, which delivers it again later if this rejects. */
  readonly run = async (job: BullmqJob, token?: string): Promise<void> => {
    try {
      await this.#perform(job.data.job);
    } catch (error) {
      if (this.#stopped === undefined) throw error;
      await job.moveToWait(token);
      throw new WaitingError();
    }
  };

  async #perform(job: string): Promise<void> {
    if (this.#stopped !== undefined) throw new Error("The node stops.");
    const abort = new AbortController();
    this.#running.add(abort);
    try {
      await this.#work(job, abort.signal);
    } finally {
      this.#running.delete(abort);
      if (this.#running.size === 0) this.#idle?.();
    }
  }

  stop(worker: BullmqWorker, grace: number): Promise<void> {
    this.#stopped ??= this.#stop(worker, grace);
    return this.#stopped;
  }

  async #stop(worker: BullmqWorker, grace: number): Promise<void> {
    // Takes no more jobs from now on, and resolves when those that run have ended.
    const closed = worker.close();
    if (this.#running.size > 0) {
      const timer = setTimeout(() => {
        const reason = new DOMException("The node stops.", "AbortError");
        for (const abort of this.#running) abort.abort(reason);
      }, grace);
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
      clearTimeout(timer);
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(resolve, CLOSE_TIME, "late");
    });
    // The connections would keep the process alive, and try to reach Redis forever.
    if ((await Promise.race([closed, late])) === "late") worker.disconnect?.().catch(() => {});
    clearTimeout(timer);
  }
}

/** BullMQ recognizes by this name that a job was given back. */
class WaitingError extends Error {
  override readonly name = "WaitingError";
}
