import type { DetailedTask, TaskStatus } from "../features/tasks/protocol.ts";
import type { JsonObject } from "../protocol/messages.ts";
import type { CallResult } from "../protocol/model.ts";
import { ConnectionError, RemoteError } from "./errors.ts";
import { type Asked, answerAll, createAnswerer, type Questions, type ScriptedAnswer } from "./options.ts";
import type { Session } from "./session.ts";
import { checkShape, TASK } from "./shape.ts";

/** The longest and, if the server names none, the usual milliseconds between two polls. */
const LONGEST_DELAY = 60_000;
const USUAL_DELAY = 1000;
/** The maximum number of rounds of questions in one request or task. */
export const MAX_ROUNDS = 50;
/** A server that ends again and again has lost the task. */
const MAX_LOSSES = 10;
/** Polls take place in real time, also if a test has replaced the timers. */
const { setTimeout: later } = globalThis;

/** A task of the server: a call that outlives its request. Create it with `client.startTask()`. */
export class RemoteTask {
  readonly id: string;
  readonly #client: Session;
  readonly #answer: (asked: Asked) => Promise<object>;
  readonly #observe: ((task: DetailedTask) => void) | undefined;
  #seen = "";

  constructor(
    client: Session,
    id: string,
    answer: (asked: Asked) => Promise<object>,
    observe?: (task: DetailedTask) => void,
  ) {
    this.id = id;
    this.#client = client;
    this.#answer = answer;
    this.#observe = observe;
  }

  /** Reads the state. */
  async get(): Promise<DetailedTask> {
    const result = await this.#request("tasks/get");
    checkShape(TASK, this.#client.name, "tasks/get", result);
    const task = result as unknown as DetailedTask;
    const seen = JSON.stringify(task);
    if (seen !== this.#seen) this.#observe?.(task);
    this.#seen = seen;
    return task;
  }

  /** Polls until the task has this status. @throws {Error} if it has ended with another one. */
  async reach(status: TaskStatus): Promise<DetailedTask> {
    const task = await this.#poll((seen) => seen.status === status || isOver(seen));
    if (task.status === status) return task;
    throw new Error(`The task is ${task.status} and cannot become ${status}: ${JSON.stringify(task)}`);
  }

  /** Waits for the questions and answers them, in their order: with these answers, or with the `answers` of the client. */
  async answer(...answers: readonly ScriptedAnswer[]): Promise<void> {
    const task = await this.reach("input_required");
    await this.#respond(task, answers.length === 0 ? this.#answer : createAnswerer(answers));
  }

  async cancel(): Promise<void> {
    await this.#request("tasks/cancel");
  }

  /**
   * Polls until the task has ended, answers its questions with the `answers` of the client, and returns the result. The
   * signal only ends the polls.
   * @throws {RemoteError} if the task failed. @throws {Error} if it was cancelled.
   */
  async result(signal?: AbortSignal): Promise<CallResult> {
    for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
      const task = await this.#poll((seen) => seen.status === "input_required" || isOver(seen), signal);
      if (task.error !== undefined) throw new RemoteError(task.error);
      if (task.status === "cancelled") throw new Error("The task was cancelled.");
      if (task.result !== undefined) return task.result as never;
      if (isOver(task)) throw new Error(`The task is ${task.status}, but has no result.`);
      await this.#respond(task, this.#answer);
    }
    throw this.#client.tooManyRounds("the task");
  }

  async #respond({ inputRequests = {} }: DetailedTask, answer: (asked: Asked) => Promise<object>): Promise<void> {
    await this.#request("tasks/update", { inputResponses: await answerAll(inputRequests as Questions, answer) });
  }

  async #poll(isReached: (task: DetailedTask) => boolean, signal?: AbortSignal): Promise<DetailedTask> {
    for (let delay = this.#client.firstPoll; ; delay *= 2) {
      const task = await this.get();
      if (isReached(task)) return task;
      const { pollIntervalMs: named = USUAL_DELAY } = task;
      const longest = Math.min(LONGEST_DELAY, Math.max(1, Number(named) || USUAL_DELAY));
      await new Promise((resolve) => later(resolve, Math.min(delay, longest)));
      signal?.throwIfAborted();
    }
  }

  /** All three methods may be repeated, so a lost connection makes no difference. */
  async #request(method: string, params: object = {}): Promise<JsonObject> {
    for (let losses = 0; ; losses++) {
      try {
        return await this.#client.requestOnce(method, { taskId: this.id, ...params });
      } catch (error) {
        const isLost = error instanceof ConnectionError && error.kind === "ended";
        if (!isLost || losses === MAX_LOSSES) throw error;
        await this.#client.recovered;
      }
    }
  }
}

function isOver({ status }: DetailedTask): boolean {
  return status !== "working" && status !== "input_required";
}

/** The result of a task, which is cancelled if the signal aborts first. */
export async function whileNotAborted(task: RemoteTask, signal: AbortSignal | undefined): Promise<CallResult> {
  if (signal === undefined) return task.result();
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => {
      // After the cancellation has arrived, as a test may look at once.
      task.cancel().then(() => reject(signal.reason), reject);
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  const result = task.result(signal);
  // It ends, too, when the task is cancelled.
  result.catch(() => {});
  return Promise.race([aborted, result]);
}
