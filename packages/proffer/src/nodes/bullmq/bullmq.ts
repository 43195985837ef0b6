import { within } from "../../calls/timeout.ts";
import { UsageError } from "../../support/usage-error.ts";
import { LONGEST_WAIT, NotYet, RunningJobs, retryDelay } from "../jobs.ts";
import type { Queue, QueueWork, QueueWorker, QueueWorkOptions } from "../ports.ts";
import { CommandLimiter, reporter } from "../redis/commands.ts";

/** Options of `bullmq`. */
export interface BullmqOptions {
  /** The class `Queue` of the package `bullmq`. */
  readonly Queue: new (
    name: string,
    options: never,
  ) => BullmqQueue;
  /** The class `Worker` of the package `bullmq`. */
  readonly Worker: new (
    name: string,
    work: never,
    options: never,
  ) => BullmqWorker;
  /** As BullMQ accepts it: the settings of a connection, or a client of ioredis. */
  readonly connection: object;
  /** The beginning of all keys. Each server has a queue of its own. Default: "proffer". */
  readonly prefix?: string;
  /** Milliseconds in which a job must be accepted. Default: 1,000. */
  readonly commandTimeout?: number;
  /**
   * Milliseconds after which a job of a node that has died is delivered to another, plus a third. A handler that blocks the
   * event loop for longer loses its job too. Default: 15,000.
   */
  readonly lockDuration?: number;
  /** Receives errors of BullMQ, such as lost connections, which it repairs itself. Default: they are ignored. */
  readonly onError?: (error: unknown) => void;
}

const JOB_NAME = /^[\w.-]{1,200}$/;

/** Creates a queue on BullMQ, for the option `cluster` of a server with tasks. @throws {UsageError} */
export function bullmq(options: BullmqOptions): Queue & { close(): Promise<void> } {
  return new BullmqPort(options);
}

class BullmqPort implements Queue {
  readonly #options: BullmqOptions;
  readonly #limiter: CommandLimiter;
  readonly #lockDuration: number;
  /** In braces: a Redis Cluster keeps all keys of the queue on one server, as the scripts of BullMQ require. */
  readonly #prefix: string;
  readonly #failed: (error: unknown) => void;
  /** By server. */
  readonly #queues = new Map<string, BullmqQueue>();

  constructor(options: BullmqOptions) {
    const { prefix = "proffer", commandTimeout = 1_000, lockDuration = 15_000 } = options;
    if (typeof options.Queue !== "function" || typeof options.Worker !== "function") {
      throw bad("pass the classes Queue and Worker of the package bullmq.");
    }
    if (typeof options.connection !== "object" || options.connection === null) {
      throw bad("connection must be the settings of a connection, or a client of ioredis.");
    }
    if (typeof prefix !== "string" || !/^[^{}]{1,200}$/.test(prefix)) {
      throw bad(`prefix must be a text of 1 to 200 characters without braces, not ${JSON.stringify(prefix)}.`);
    }
    for (const [name, value] of Object.entries({ commandTimeout, lockDuration })) {
      if (Number.isInteger(value) && value > 0 && value < 2 ** 31) continue;
      throw bad(`${name} must be a positive whole number, not ${JSON.stringify(value)}.`);
    }
    this.#options = options;
    this.#limiter = new CommandLimiter({ commandTimeout, maxInFlight: 10_000 });
    this.#lockDuration = lockDuration;
    this.#prefix = `{${prefix}}`;
    this.#failed = reporter(options.onError);
  }

  async push(job: string, server?: string): Promise<void> {
    if (!JOB_NAME.test(job)) throw new TypeError(`A queue cannot have a job named ${JSON.stringify(job)}.`);
    const settings = {
      // BullMQ ignores a job whose id waits or is worked on. Ids may not be whole numbers.
      jobId: `job-${job}`,
      // A job that has ended must not keep its name from being pushed again: neither a completed nor a failed one.
      removeOnComplete: true,
      removeOnFail: true,
      // Work fails only if the store cannot be reached, which passes: about eight hours of attempts.
      attempts: 1_000,
      backoff: { type: "custom" },
    };
    await this.#limiter.run(() => this.#open(server).add("wake", { job }, settings));
  }

  work(work: QueueWork, { concurrency, server }: QueueWorkOptions): QueueWorker {
    const { Worker, connection } = this.#options;
    const node = new Work(work);
    const settings = {
      connection: workerConnection(connection),
      prefix: this.#prefix,
      concurrency,
      lockDuration: this.#lockDuration,
      // How soon a dead node is noticed. BullMQ's own values, twice 30 seconds, would make a task wait for a minute.
      stalledInterval: Math.ceil(this.#lockDuration / 3),
      // By default, the second node that dies with a job ends it for good.
      maxStalledCount: 1_000,
      // How soon a worker asks again after Redis refused a command. By default it sleeps for 15 seconds, with all its jobs.
      runRetryDelay: 1_000,
      settings: { backoffStrategy: retryDelay },
    };
    const worker = new Worker(nameOf(server), node.run as never, settings as never);
    // Without a listener, an error would end the process.
    worker.on("error", this.#failed);
    return { stop: (grace) => node.stop(worker, grace) };
  }

  waiting(server?: string): Promise<number> {
    return this.#limiter.run(() => this.#open(server).getWaitingCount());
  }

  /** Closes the connections for pushing. Workers are stopped by `stop`. */
  async close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
  }

  #open(server: string | undefined): BullmqQueue {
    const name = nameOf(server);
    let queue = this.#queues.get(name);
    if (queue === undefined) {
      const { Queue, connection } = this.#options;
      queue = new Queue(name, { connection, prefix: this.#prefix } as never);
      queue.on("error", this.#failed);
      this.#queues.set(name, queue);
    }
    return queue;
  }
}

function nameOf(server: string | undefined): string {
  return server === undefined ? "wake-ups" : `wake-ups ${server}`;
}

/** BullMQ refuses a client that gives up commands for a worker, whose reads wait. Settings it changes itself. */
function workerConnection(connection: object): object {
  const client = connection as { duplicate?(options: object): object };
  return typeof client.duplicate === "function" ? client.duplicate({ maxRetriesPerRequest: null }) : connection;
}

function bad(text: string): UsageError {
  return new UsageError(`bullmq(options): ${text}`);
}

/** Milliseconds that BullMQ has to close its connections, which it cannot if Redis is away. */
const CLOSE_TIME = 2_000;

/** The jobs that one node works on. */
class Work {
  readonly #jobs: RunningJobs;
  #stopped: Promise<void> | undefined;

  constructor(work: QueueWork) {
    this.#jobs = new RunningJobs(work);
  }

  /** Works on a job for BullMQ, which delivers it again later if this rejects. */
  readonly run = async (job: BullmqJob, token?: string): Promise<void> => {
    try {
      if (this.#stopped !== undefined) throw new Error("The node stops.");
      await this.#jobs.run(job.data.job);
    } catch (error) {
      if (this.#stopped !== undefined) {
        await job.moveToWait(token);
        throw new GivenBack("WaitingError");
      }
      if (!(error instanceof NotYet)) throw error;
      await job.moveToDelayed(Date.now() + LONGEST_WAIT, token);
      // If that fails, another node has it, or gets it after that time.
      error.ready.then(() => job.promote()).catch(() => {});
      throw new GivenBack("DelayedError");
    }
  };

  stop(worker: BullmqWorker, grace: number): Promise<void> {
    this.#stopped ??= this.#stop(worker, grace);
    return this.#stopped;
  }

  async #stop(worker: BullmqWorker, grace: number): Promise<void> {
    // Takes no more jobs from now on, and resolves when those that run have ended.
    const closed = worker.close();
    await this.#jobs.end(grace);
    await within(CLOSE_TIME, closed).catch(() => {
      // The connections would keep the process alive, and try to reach Redis forever: not even this call may settle.
      worker.disconnect?.().catch(() => {});
    });
  }
}

/** BullMQ recognizes by its name that a job was given back. */
class GivenBack extends Error {
  override readonly name: "DelayedError" | "WaitingError";

  constructor(name: "DelayedError" | "WaitingError") {
    super("The job was given back.");
    this.name = name;
  }
}

/** The part of BullMQ's `Queue` that Proffer uses. */
export interface BullmqQueue {
  add(name: string, data: { readonly job: string }, options: object): Promise<unknown>;
  getWaitingCount(): Promise<number>;
  on(event: "error", listener: (error: Error) => void): unknown;
  close(): Promise<unknown>;
}

/** The part of BullMQ's `Worker` that Proffer uses. */
export interface BullmqWorker {
  on(event: "error", listener: (error: Error) => void): unknown;
  close(): Promise<unknown>;
  disconnect?(): Promise<unknown>;
}

/** The part of BullMQ's `Job` that Proffer uses. */
export interface BullmqJob {
  readonly data: { readonly job: string };
  moveToWait(token?: string): Promise<unknown>;
  moveToDelayed(timestamp: number, token?: string): Promise<unknown>;
  promote(): Promise<unknown>;
}
