/**
 * A queue that uses every freedom of the port: jobs come in any order, late, several times at once, and again after a
 * crash or a failure. With `lost`, it also forgets some, which no queue may, but which a client's polls must heal.
 */
export class FaultyQueue {
  /** Jobs that were lost or delivered once more than needed. */
  faults = 0;
  #random;
  #plan;
  /** The jobs that wait or are worked on. */
  #jobs = new Set();
  #places = new Set();
  #isClosed = false;

  /** @param plan - `repeats`, the share of jobs that are delivered once more; `lost`, the share that is forgotten */
  constructor(random, plan) {
    this.#random = random;
    this.#plan = { repeats: 0, lost: 0, ...plan };
  }

  push(job) {
    if (this.#jobs.has(job)) return;
    if (this.#random.next() < this.#plan.lost) {
      this.faults++;
      return;
    }
    this.#jobs.add(job);
    this.#deliver(job);
    while (this.#random.next() < this.#plan.repeats) {
      this.faults++;
      this.#deliver(job);
    }
  }

  /** The queue of one node, which works while it lives. */
  of(life) {
    return {
      push: (job) => life.perform(() => this.push(job)),
      work: (work) => {
        const place = { work, life, jobs: new Set() };
        this.#places.add(place);
        return { stop: async () => void this.#places.delete(place) };
      },
    };
  }

  /** Delivers the jobs of a node that crashed, or that is taken for dead, to others. */
  release(life) {
    for (const place of this.#places) {
      if (place.life !== life) continue;
      if (life.dead) this.#places.delete(place);
      for (const job of place.jobs) this.#deliver(job);
      place.jobs.clear();
    }
  }

  /** Delivers no more jobs: those that are left would wait for a node forever. */
  close() {
    this.#isClosed = true;
  }

  #deliver(job) {
    if (!this.#isClosed) setImmediate(() => this.#run(job));
  }

  async #run(job) {
    const places = [...this.#places].filter(({ life }) => !life.dead && !life.isFrozen);
    if (!this.#jobs.has(job)) return;
    // Late: later turns of the loop are as good as later times.
    if (places.length === 0 || this.#random.below(4) === 0) return this.#deliver(job);
    const place = this.#random.pick(places);
    place.jobs.add(job);
    try {
      await place.work(job, new AbortController().signal);
      // Somebody else may have it by now; the record decides.
      if (place.jobs.delete(job)) this.#jobs.delete(job);
    } catch {
      if (place.jobs.delete(job)) this.#deliver(job);
    }
  }
}
