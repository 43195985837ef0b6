/** The error of a store whose reply was lost, or that could not be reached. */
class Unreachable extends Error {}

/** The life of one node in memory: it may crash at any operation of a port, freeze, or lose replies. */
export class Life {
  dead = false;
  isFrozen = false;
  /** Rejects when the node crashes: its clients lose their connections. */
  crashed;
  #crash;
  #random;
  #plan;
  #thawed = Promise.resolve();
  #thaw = () => {};

  /**
   * @param plan - `crashAfter`, the operations until a crash; `loss`, the share of operations that fail; `onCrash`; `onFault`,
   *   called for each of them
   */
  constructor(random, plan) {
    this.#random = random;
    this.#plan = { crashAfter: Number.POSITIVE_INFINITY, loss: 0, ...plan };
    this.crashed = new Promise((_, reject) => {
      this.#crash = reject;
    });
    this.crashed.catch(() => {});
  }

  crash() {
    if (this.dead) return;
    this.dead = true;
    this.#crash(new Error("the node crashed"));
    this.#plan.onFault();
    this.#plan.onCrash();
  }

  freeze() {
    this.isFrozen = true;
    this.#thawed = new Promise((resolve) => {
      this.#thaw = resolve;
    });
  }

  thaw() {
    this.isFrozen = false;
    this.#thaw();
  }

  /** Waits for some turns of the event loop: never returns to a node that has crashed. */
  async pause(turns) {
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    await this.#thawed;
    if (this.dead) await new Promise(() => {});
  }

  /** Performs an operation of a port. The node may crash, and the reply may get lost, before and after its effect. */
  async perform(call) {
    await this.pause(this.#random.below(3));
    const isLast = --this.#plan.crashAfter < 0;
    const isLost = this.#random.next() < this.#plan.loss;
    const before = this.#random.below(2) === 0;
    if (isLast && before) this.crash();
    if (this.dead) return new Promise(() => {});
    if (isLost) this.#plan.onFault();
    if (isLost && before) throw new Unreachable("no connection");
    const result = await call();
    if (isLast) this.crash();
    await this.pause(this.#random.below(3));
    if (isLost) throw new Unreachable("the reply was lost");
    return result;
  }
}
