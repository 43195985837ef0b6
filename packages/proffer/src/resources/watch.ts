import type { ResourceChange } from "../catalog/changes.ts";

/** What a watcher tells. */
export interface WatchEvents {
  /** A resource changed, or any whose URI begins with a prefix. */
  updated(changed: ResourceChange): void;
  /** Resources came or went. */
  listChanged(): void;
  /** Watching failed, at least in part: that goes to the log. */
  failed(error: unknown): void;
}

/** Starts to watch and returns how to stop. It runs while a client listens, and only once for all of them. */
export type Watch = (events: WatchEvents) => (() => void) | Promise<() => void>;

interface Running {
  holders: number;
  stop: () => void;
}

/** Runs watchers while somebody needs them. */
export class Watchers {
  readonly #events: WatchEvents;
  readonly #running = new Map<Watch, Running>();
  /** Those that are held because somebody listens to the list. */
  readonly #forLists = new Map<Watch, () => void>();

  constructor(events: WatchEvents) {
    this.#events = events;
  }

  /** Keeps a watcher going until the returned function is called. */
  hold(watch: Watch): () => void {
    let running = this.#running.get(watch);
    if (running === undefined) {
      running = { holders: 0, stop: this.#start(watch) };
      this.#running.set(watch, running);
    }
    running.holders++;
    const held = running;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      if (--held.holders > 0) return;
      this.#running.delete(watch);
      held.stop();
    };
  }

  /** Holds just these on behalf of whoever listens to the list. */
  holdForLists(wanted: ReadonlySet<Watch>): void {
    for (const [watch, release] of [...this.#forLists]) {
      if (wanted.has(watch)) continue;
      this.#forLists.delete(watch);
      release();
    }
    for (const watch of wanted) {
      if (!this.#forLists.has(watch)) this.#forLists.set(watch, this.hold(watch));
    }
  }

  /** Starts a watcher. What fails to start or to stop is logged: those who listen are served without it. */
  #start(watch: Watch): () => void {
    let stopped = false;
    let stop: (() => void) | undefined;
    const started = (how: () => void): void => {
      stop = how;
      // It took so long to start that nobody listens any more.
      if (stopped) this.#try(how);
    };
    this.#try(() => {
      const how = watch(this.#events);
      if (how instanceof Promise) how.then(started).catch(this.#events.failed);
      else started(how);
    });
    return () => {
      stopped = true;
      if (stop !== undefined) this.#try(stop);
    };
  }

  #try(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#events.failed(error);
    }
  }
}
