import { setTimeout as sleep } from "node:timers/promises";
import { memoryCluster } from "proffer/testing";
import { Random } from "../../soak/random.mjs";
import { Client } from "../client.mjs";
import { figuresOf } from "../figures.mjs";
import { Ledger } from "../ledger.mjs";
import { advanceClock } from "./clock.mjs";
import { MemoryNode } from "./node.mjs";
import { FaultyQueue } from "./queue.mjs";

/** Nodes at a time. */
const NODES = 3;
/** Polls of a task without an end after which it counts as lost. */
const MAX_POLLS = 2_000;
/** Polls after which a client also waits: the engine's pause before it repeats a write does not follow the clock. */
const QUICK_POLLS = 500;
/** Milliseconds for which it waits before each further poll. */
const POLL_PAUSE = 10;
/** Milliseconds by which a poll moves the clock: one after 20 seconds wakes a task up again whose wake-up got lost. */
const HEAL_STEP = 100;

/** Runs tasks in the memory of this process while a fault is repeated, and returns the figures. */
export async function runMemory(scenario, seed) {
  return new MemoryRun(scenario, new Random(seed)).toEnd();
}

class MemoryRun {
  #scenario;
  #random;
  #shared;
  #ledger = new Ledger();
  #nodes = [];
  #filling;
  #client;
  #faults = 0;
  #over = false;

  constructor(scenario, random) {
    this.#scenario = scenario;
    this.#random = random;
    const queue = new FaultyQueue(random, scenario.queue);
    this.#shared = { cluster: memoryCluster(), queue, random, ledger: this.#ledger };
    this.#client = new Client((method, params) => this.#request(method, params));
  }

  async toEnd() {
    const started = performance.now();
    await this.#fill();
    const freezing = this.#scenario.freezes ? this.#freeze() : undefined;
    await Promise.all(Array.from({ length: 1 + this.#random.below(50) }, () => this.#follow()));
    this.#over = true;
    await freezing;
    for (const id of this.#client.tasks.keys()) await this.#client.poll(id);
    await Promise.all(this.#nodes.map((node) => node.close()));
    this.#shared.queue.close();
    const faults = this.#faults + this.#shared.queue.faults;
    const seconds = (performance.now() - started) / 1000;
    return figuresOf({ client: this.#client, ledger: this.#ledger, faults, seconds });
  }

  /** Creates a task, and polls it to its end. */
  async #follow() {
    const random = this.#random;
    const id = await this.#client.create({ steps: random.below(9), questions: random.below(4) });
    for (let polls = 0; polls < MAX_POLLS; polls++) {
      advanceClock(HEAL_STEP);
      // Several clients of one task, at different nodes, answer the same questions.
      const polled = await Promise.all(
        Array.from({ length: this.#scenario.clients ?? 1 }, () => this.#client.poll(id)),
      );
      if (polled.includes(true)) return;
      await turns(random.below(20));
      if (polls >= QUICK_POLLS) await sleep(POLL_PAUSE);
    }
  }

  async #request(method, params) {
    await this.#fill();
    return this.#random.pick(this.#nodes.filter(({ life }) => !life.isFrozen)).request(method, params);
  }

  /** Freezes one node after another. The queue takes it for dead; it continues when others have its jobs. */
  async #freeze() {
    while (!this.#over) {
      await turns(this.#random.below(30));
      const { life } = this.#random.pick(this.#nodes);
      life.freeze();
      this.#faults++;
      this.#shared.queue.release(life);
      await turns(this.#random.below(60));
      life.thaw();
    }
  }

  /** Replaces the nodes that have crashed. */
  #fill() {
    if (this.#nodes.every(({ life }) => !life.dead) && this.#nodes.length === NODES) return undefined;
    this.#filling ??= this.#replace().finally(() => {
      this.#filling = undefined;
    });
    return this.#filling;
  }

  async #replace() {
    this.#nodes = this.#nodes.filter(({ life }) => !life.dead);
    const onFault = () => void this.#faults++;
    while (this.#nodes.length < NODES) {
      const plan = { ...this.#scenario.plan?.(this.#random), onFault };
      this.#nodes.push(await MemoryNode.start(this.#shared, plan));
    }
  }
}

async function turns(count) {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
