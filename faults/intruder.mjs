import { setTimeout as sleep } from "node:timers/promises";

/** Another principal that uses the ids of a client, also while Redis fails (F16). */
export class Intruder {
  /** Requests that were answered as if the task were its own. Must be 0. */
  found = 0;
  #victim;
  #send;
  #stopped = false;

  constructor(victim, send) {
    this.#victim = victim;
    this.#send = send;
  }

  async run(random) {
    while (!this.#stopped) {
      await sleep(50);
      const ids = [...this.#victim.tasks.keys()];
      if (ids.length === 0) continue;
      const params = { taskId: random.pick(ids), inputResponses: { q1: { action: "cancel" } } };
      const method = random.pick(["tasks/get", "tasks/update", "tasks/cancel"]);
      const { error } = await this.#send(method, params).catch((reason) => ({ error: reason }));
      if (error === undefined) this.found++;
    }
  }

  stop() {
    this.#stopped = true;
  }
}
