import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HonestClient } from "./honest/client.mjs";
import { startAttackers } from "./hostile/process.mjs";
import { sampleHeap, settle } from "./measure.mjs";
import { Random } from "./random.mjs";
import { HttpServer } from "./server/process.mjs";
import { Tally } from "./tally.mjs";
import { REVISIONS } from "./wire.mjs";

/** The phases whose latencies are compared. */
export const PHASES = ["before the attacks", "during the attacks", "after the attacks"];
/** Latencies while the attackers pause and the heap is measured. */
const BETWEEN = "between the attacks";
/** The shares of the time without attackers, before and after the attacks. */
const ALONE = 0.1;
/** The attackers pause after this many seconds. */
const ROUND = 45;
const LARGE_FILE = 8 * 1024 * 1024;

/**
 * The limits of the server under test. They are shorter than the defaults, so that the server must release in seconds
 * what attackers leave behind.
 */
const LIMITS = {
  maxInFlight: 300,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  unreadTimeout: 5_000,
  sessions: { idleTimeout: 10_000, reconnectTimeout: 2_000 },
};
/** Milliseconds after which the server has forgotten the attackers. */
const FORGOTTEN = 14_000;

/** A run of honest and hostile clients against one server. */
export class Soak {
  tally;
  /** The heap after each round of attacks, garbage collected. */
  samples = [];
  before;
  after;
  /** Why the server ended, if it did. */
  exit;
  minutes = 0;
  #folder = mkdtempSync(join(tmpdir(), "proffer-soak-"));
  #server;
  #random;
  #stop = new AbortController();
  #options;
  #started = Date.now();

  /** @param options - `minutes`, `seed`, `only` (kinds of attacks), `say` (receives progress) */
  constructor(options) {
    this.#options = options;
    this.tally = new Tally(options.say);
    this.#random = new Random(options.seed);
  }

  /** Ends the run early; its report covers the time until then. */
  stop() {
    this.#stop.abort();
  }

  get stopped() {
    return this.#stop.signal.aborted;
  }

  async run() {
    writeFileSync(join(this.#folder, "small.txt"), "A small file.");
    writeFileSync(join(this.#folder, "large.bin"), Buffer.alloc(LARGE_FILE, 1));
    const seconds = this.#options.minutes * 60;
    try {
      this.#server = await HttpServer.start(this.#folder, LIMITS);
      this.#server.onExit = () => this.stop();
      await this.#withHonestClients(() => this.#phase(PHASES[0], seconds * ALONE));
      this.#report(PHASES[0]);
      this.before = await settle(this.#server);
      await this.#withHonestClients(() => this.#attack(seconds * (1 - 2 * ALONE)));
      await this.#withHonestClients(() => this.#phase(PHASES[2], seconds * ALONE));
      this.#report(PHASES[2]);
      if (this.samples.length > 1) await sleep(FORGOTTEN);
      this.after = await settle(this.#server, this.before);
      this.exit = this.#server.exit;
    } finally {
      this.minutes = this.#elapsed / 60_000;
      await this.#server?.stop();
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }

  /** Rounds of attacks with pauses between them, while the honest clients continue. */
  async #attack(seconds) {
    const rounds = Math.max(1, Math.floor(seconds / ROUND));
    const pause = rounds === 1 ? 0 : FORGOTTEN / 1000;
    for (let round = 0; round < rounds && !this.#stop.signal.aborted; round++) {
      const { port } = this.#server;
      const seed = this.#random.below(2 ** 32);
      const stop = startAttackers({ port, folder: this.#folder, seed, only: this.#options.only });
      await this.#phase(PHASES[1], seconds / rounds - pause);
      this.tally.add(await stop());
      await this.#phase(BETWEEN, pause);
      const sample = await sampleHeap(this.#server, rounds === 1 ? 1 : undefined);
      if (sample !== undefined) this.samples.push(sample);
      this.#report(`round ${round + 1} of ${rounds}`);
    }
  }

  /** Runs one client for each transport and revision while `work` is in progress. */
  async #withHonestClients(work) {
    const stop = new AbortController();
    const clients = ["http", "stdio"].flatMap((transport) =>
      REVISIONS.map((revision) => {
        const options = { transport, revision, port: this.#server.port, folder: this.#folder, tally: this.tally };
        return new HonestClient(options, this.#random.fork()).run(stop.signal);
      }),
    );
    await work();
    stop.abort();
    await Promise.all(clients);
  }

  async #phase(name, seconds) {
    this.tally.begin(name);
    await sleep(seconds * 1000, undefined, { signal: this.#stop.signal }).catch(() => {});
  }

  get #elapsed() {
    return Date.now() - this.#started;
  }

  #report(what) {
    const { calls, foreign, wrongAnswers } = this.tally;
    const heap = this.samples.at(-1)?.heap;
    const size = heap === undefined ? "" : `, heap ${(heap / 1e6).toFixed(1)} MB`;
    const seconds = Math.round(this.#elapsed / 1000);
    const counts = `${calls} calls, ${wrongAnswers} wrong answers, ${foreign} foreign bytes`;
    this.#options.say(`${seconds} s, ${what}: ${counts}${size}`);
  }
}
