import { foreignBytes } from "./random.mjs";

/** Failures to show in the report; all are counted. */
const SHOWN = 20;
const LENGTH = 500;

/** The counts of a run. */
export class Tally {
  calls = 0;
  foreign = 0;
  wrongAnswers = 0;
  orphans = 0;
  /** The number of attacks, by kind. */
  attacks = {};
  /** The refusals of honest calls, by status. */
  refusals = {};
  /** The latencies of honest calls in milliseconds, by phase. */
  latencies = {};
  failures = [];
  #phase = "";
  #say;

  /** @param say - receives each failure to show, as it happens */
  constructor(say = () => {}) {
    this.#say = say;
  }

  /** Counts the following calls for another phase. */
  begin(phase) {
    this.#phase = phase;
    this.latencies[phase] ??= [];
  }

  /** Counts a call of an honest client that was answered correctly. */
  answered(milliseconds) {
    this.calls++;
    this.latencies[this.#phase].push(milliseconds);
  }

  /** Looks for bytes of other clients in a text that the owner of `secret` received. */
  received(text, secret) {
    const bytes = foreignBytes(text, secret);
    if (bytes === 0) return;
    this.foreign += bytes;
    this.#note(`${secret} received foreign bytes: ${text}`);
  }

  wrong(reason) {
    this.wrongAnswers++;
    this.#note(reason);
  }

  /** Counts a refusal that the client repeats later. */
  refused(status) {
    this.refusals[status] = (this.refusals[status] ?? 0) + 1;
  }

  /** Counts a server process that outlived its client. */
  orphan() {
    this.orphans++;
    this.#note("A stdio server outlived its client.");
  }

  /** Adds the counts of the attackers. */
  add({ attacks, foreign, wrongAnswers, orphans, failures }) {
    for (const [kind, count] of Object.entries(attacks)) this.attacks[kind] = (this.attacks[kind] ?? 0) + count;
    this.foreign += foreign;
    this.wrongAnswers += wrongAnswers;
    this.orphans += orphans;
    for (const failure of failures) this.#note(failure);
  }

  #note(reason) {
    if (this.failures.length >= SHOWN) return;
    this.failures.push(reason.slice(0, LENGTH));
    this.#say(reason.slice(0, LENGTH));
  }
}
