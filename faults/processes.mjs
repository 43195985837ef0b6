import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../soak/random.mjs";
import { Client } from "./client.mjs";
import { EffectsFile } from "./effects-file.mjs";
import { Engine } from "./engine.mjs";
import { figuresOf } from "./figures.mjs";
import { Folder } from "./folder.mjs";
import { Intruder } from "./intruder.mjs";
import { Ledger } from "./ledger.mjs";
import { Nodes } from "./nodes.mjs";
import { CuttingProxy } from "./proxy.mjs";
import { ReplicatedEngine } from "./replica.mjs";

/** Requests of the client at once. */
const CREATORS = 16;
/** The share of tasks after whose end no more faults come. */
const FAULTS_UNTIL = 0.9;
/** Milliseconds without a newly ended task after which no more faults come, and then those that are left count as lost. */
const PATIENCE = 60_000;
/** The fewest faults of a run. */
const FAULTS = 5;
/** Milliseconds between two tasks of a creator when there are enough tasks, but not enough faults. */
const PAUSE = 500;

/** Runs tasks on real processes and a real Redis while a fault is repeated, and returns the figures. */
export async function runProcesses(scenario, { seed, tasks, say }) {
  const folder = new Folder();
  const random = new Random(seed);
  const ledger = new Ledger();
  const effects = new EffectsFile(join(folder.path, "effects"), ledger);
  const started = performance.now();
  let engine;
  let proxy;
  let nodes;
  let intruder;
  try {
    const { fsync, lag } = scenario;
    engine = await (lag === undefined
      ? Engine.start(folder.path, { fsync })
      : ReplicatedEngine.start(folder.path, lag));
    proxy = await CuttingProxy.start(engine.port);
    const lockDuration = scenario.lockDuration ?? 3_000;
    const settings = { redisPort: proxy.port, effects: effects.path, lockDuration, ...scenario.settings };
    nodes = await Nodes.start(scenario.nodes ?? 3, settings);
    const client = new Client((method, params) => nodes.request(random, method, params, "owner"), scenario);
    intruder = new Intruder(client, (method, params) => nodes.request(random, method, params, "intruder"));
    const context = { engine, proxy, nodes, random, client, lockDuration, ledger, effects, notes: {} };
    const run = new Run(scenario, context, { tasks, say });
    const intrusions = intruder.run(random.fork());
    const { faults, recovery } = await run.toEnd();
    intruder.stop();
    await intrusions;
    const seconds = (performance.now() - started) / 1000;
    const found = intruder.found + (await client.countFound());
    return { ...figuresOf({ client, ledger, faults, recovery, seconds, found }), notes: context.notes };
  } finally {
    intruder?.stop();
    await nodes?.stop();
    proxy?.close();
    await engine?.kill();
    effects.close();
    folder.remove();
  }
}

class Run {
  #scenario;
  #context;
  #options;
  #created = 0;
  #acknowledged = 0;
  #faults = 0;
  #lastFault = 0;
  #lastEnd = performance.now();
  /** No more faults come. */
  #calm = false;

  constructor(scenario, context, options) {
    this.#scenario = scenario;
    this.#context = context;
    this.#options = options;
  }

  async toEnd() {
    const creators = Array.from({ length: CREATORS }, () => this.#create());
    const faults = this.#repeatFault();
    const recovery = this.#watch();
    await Promise.all(creators);
    await faults;
    return { faults: this.#faults, recovery: await recovery };
  }

  async #create() {
    const { client, random } = this.#context;
    const { tasks } = this.#options;
    while (this.#created < tasks || !(this.#hasEnough || this.#calm)) {
      if (this.#created >= tasks) await sleep(PAUSE);
      this.#created++;
      await client.create(this.#scenario.task(random));
      this.#acknowledged++;
    }
  }

  async #repeatFault() {
    const { tasks } = this.#options;
    const { every = 1_000, fault } = this.#scenario;
    await sleep(every);
    do {
      const next = sleep(every);
      if ((await fault(this.#context)) !== false) this.#faults++;
      this.#lastFault = performance.now();
      await next;
    } while ((this.#left > tasks * (1 - FAULTS_UNTIL) || !this.#hasEnough) && !isOver(this.#lastEnd));
    this.#calm = true;
  }

  get #hasEnough() {
    return this.#faults >= (this.#scenario.faults ?? FAULTS);
  }

  /** The tasks that are not created or have not ended. */
  get #left() {
    return this.#context.client.open.length + Math.max(0, this.#options.tasks - this.#acknowledged);
  }

  /** Polls the tasks until all have ended; resolves with the seconds from the last fault to the last end. */
  async #watch() {
    const { client, ledger, effects } = this.#context;
    const { tasks, say } = this.#options;
    let [ended, lastSaid] = [0, 0];
    while (!this.#calm || (this.#left > 0 && !isOver(Math.max(this.#lastEnd, this.#lastFault)))) {
      await sleep(100);
      effects.read();
      const all = client.open;
      // Tasks that have probably ended, and some of the others, which heals and answers them.
      const due = all.filter((id) => ledger.returned.has(id));
      await pollAll(client, [...due, ...all.filter((id) => !ledger.returned.has(id)).slice(0, 200)]);
      if (client.ended !== ended) this.#lastEnd = performance.now();
      ended = client.ended;
      if (performance.now() - lastSaid > 5_000) {
        lastSaid = performance.now();
        say(`${client.tasks.size} of ${tasks} created, ${ended} ended, ${this.#faults} faults`);
      }
    }
    await this.#checkEnds();
    return Math.max(0, (this.#lastEnd - this.#lastFault) / 1000);
  }

  /** Reads every end once more: none may have changed. */
  async #checkEnds() {
    const { client, effects } = this.#context;
    await pollAll(client, [...client.tasks.keys()]);
    effects.read();
  }
}

function isOver(since) {
  return performance.now() - since > PATIENCE;
}

async function pollAll(client, ids) {
  const waiting = [...ids];
  const poll = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) await client.poll(id);
  };
  await Promise.all(Array.from({ length: CREATORS }, poll));
}
