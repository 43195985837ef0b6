import { setTimeout as sleep } from "node:timers/promises";

const ENDED = new Set(["completed", "failed", "cancelled"]);
const UNKNOWN = -32602;

/** A client that keeps the ids that were acknowledged, answers questions, and compares the ends of its tasks. */
export class Client {
  /** Requests that nobody answered: the node ended. */
  unanswered = 0;
  /** Requests that were answered with an error of the server. */
  refused = 0;
  /** The longest time until an answer, in milliseconds. */
  slowest = 0;
  /** The tasks that were acknowledged: their arguments, and their end once it was seen. */
  tasks = new Map();
  /** Answers that a task which was acknowledged does not exist. Must be 0. */
  unknown = 0;
  /** Ends that changed after they were seen. Must be 0. */
  changedEnds = 0;
  /** The number of ends that were seen. */
  ended = 0;
  /** The tasks that the store has lost, with everything else. */
  forgotten = [];
  /** The tasks that a store has lost which may lose some. */
  gone = [];
  #outages = 0;
  #send;
  #losesTasks;

  /**
   * @param send - sends a method and params, and resolves with the answer
   * @param losesTasks - the store may lose acknowledged changes: a task that it does not know is gone
   */
  constructor(send, { losesTasks = false } = {}) {
    this.#send = send;
    this.#losesTasks = losesTasks;
  }

  get open() {
    return [...this.tasks].filter(([, task]) => task.end === undefined).map(([id]) => id);
  }

  /** Creates a task: repeated until it is acknowledged. */
  async create(args) {
    for (;;) {
      const outages = this.#outages;
      const { result } = await this.#request("tools/call", { name: "work", arguments: args });
      if (outages !== this.#outages) continue;
      if (result?.taskId !== undefined) {
        this.tasks.set(result.taskId, { args, end: undefined });
        return result.taskId;
      }
      await sleep(20);
    }
  }

  /** The store was emptied: the tasks until now must not be found again. */
  forget() {
    this.#outages++;
    this.forgotten.push(...this.tasks.keys());
    this.tasks.clear();
  }

  /** The number of forgotten tasks that are found. Must be 0. */
  async countFound() {
    let found = 0;
    for (const taskId of this.forgotten) {
      const { error } = await this.#request("tasks/get", { taskId });
      if (error?.code !== UNKNOWN) found++;
    }
    return found;
  }

  /** Polls a task and answers its questions. Returns true if it has ended. */
  async poll(taskId) {
    const task = this.tasks.get(taskId);
    if (task === undefined) return false;
    // An answer that was on its way when another one showed the end may be older.
    const seen = task.end;
    const { result, error } = await this.#request("tasks/get", { taskId });
    if (error?.code === UNKNOWN && this.tasks.has(taskId)) this.#missed(taskId);
    if (result === undefined) return false;
    if (result.status === "input_required") await this.#answer(taskId, result.inputRequests);
    if (!ENDED.has(result.status)) {
      if (seen !== undefined) this.changedEnds++;
      return false;
    }
    const end = JSON.stringify(result);
    if (task.end !== undefined && task.end !== end) this.changedEnds++;
    if (task.end === undefined) this.ended++;
    task.end = end;
    return true;
  }

  #missed(taskId) {
    if (!this.#losesTasks) this.unknown++;
    else if (this.tasks.delete(taskId)) this.gone.push(taskId);
  }

  async #answer(taskId, questions) {
    const answers = Object.keys(questions).map((key) => [key, { action: "accept", content: { on: true } }]);
    const params = { taskId, inputResponses: Object.fromEntries(answers) };
    // A request without a response is sent again.
    for (;;) {
      const { result, error } = await this.#request("tasks/update", params);
      if (result !== undefined || error?.code === UNKNOWN) return;
      await sleep(20);
    }
  }

  async #request(method, params) {
    const start = performance.now();
    try {
      const answer = await this.#send(method, params);
      this.slowest = Math.max(this.slowest, performance.now() - start);
      if (answer.error !== undefined) this.refused++;
      return answer;
    } catch {
      this.unanswered++;
      return {};
    }
  }
}
