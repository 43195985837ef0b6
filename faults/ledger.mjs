/** Compares the effects of tasks with the results that their clients have seen. */
export class Ledger {
  /** Runs that repeated an earlier one, whose node failed; not those that an answer started. */
  restarted = 0;
  /** Steps whose effect happened more than once: they were in flight when their node failed. */
  effectsAgain = 0;
  /** Steps that the newest run of a task began although they were recorded. Must be 0. */
  recordedAgain = 0;
  /** Steps that two runs saw with different values. Must be 0. */
  recordedTwice = 0;
  /** Steps that got another key when they ran again. Must be 0. */
  otherKeys = 0;
  /** The most steps that a task began after the store had lost it. */
  leftBehind = 0;
  /** Tasks whose handler has returned. */
  returned = new Set();
  #tasks = new Map();

  /** @param epoch - the number of the run; @param rest - its wake-up, or for a step its number, value and key */
  note(kind, id, epoch, ...rest) {
    if (!this.#tasks.has(id)) this.#tasks.set(id, { epoch: 0, wakeup: 0, steps: new Map() });
    const task = this.#tasks.get(id);
    if (kind === "run") this.#noteRun(task, Number(epoch), Number(rest[0]));
    else if (kind === "returned") this.returned.add(id);
    else this.#noteStep(kind, task, Number(epoch), ...rest);
  }

  /** The store was emptied: the runs until now are left behind. */
  forget() {
    for (const task of this.#tasks.values()) task.leftBehind ??= 0;
  }

  #noteRun(task, epoch, wakeup) {
    if (wakeup <= task.wakeup) this.restarted++;
    task.wakeup = Math.max(task.wakeup, wakeup);
    task.epoch = Math.max(task.epoch, epoch);
  }

  #noteStep(kind, task, epoch, index, value, key) {
    const number = Number(index);
    const step = task.steps.get(number) ?? { key: undefined, recorded: undefined };
    task.steps.set(number, step);
    if (kind === "recorded") {
      if (step.recorded !== undefined && step.recorded !== value) this.recordedTwice++;
      step.recorded = value;
      return;
    }
    if (task.leftBehind !== undefined) this.leftBehind = Math.max(this.leftBehind, ++task.leftBehind);
    if (step.key !== undefined) {
      this.effectsAgain++;
      if (step.key !== key) this.otherKeys++;
    }
    step.key = key;
    // A run that was overtaken may still begin one step, before its first write is refused.
    if (step.recorded !== undefined && epoch === task.epoch) this.recordedAgain++;
  }

  /** Whether a result has the values of all steps, as they were recorded. */
  matches(id, text, steps) {
    const recorded = this.#tasks.get(id)?.steps ?? new Map();
    const values = text === "" ? [] : text.split(" ");
    return values.length === steps && values.every((value, number) => recorded.get(number)?.recorded === value);
  }
}
