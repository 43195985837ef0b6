import type { ResourceChange } from "../catalog/changes.ts";
import { contain } from "../support/async.ts";

/** Callbacks through which a watcher reports changes. */
export interface WatchEvents {
  /** A resource changed, or all resources whose URIs start with a prefix. */
  updated(changed: ResourceChange): void;
  /** Resources were added or removed. */
  listChanged(): void;
  /** Watching failed, at least in part. The error is logged. */
  failed(error: unknown): void;
}

/** Starts watching and returns a stop function. One watcher serves all clients; it runs while any of them listens. */
export type Watch = (events: WatchEvents) => (() => void) | Promise<() => void>;

/** Runs each watcher while it has at least one holder. */
export class Watchers {
  readonly #events: WatchEvents;
  readonly #running = new Map<Watch, { holders: number; readonly stop: () => void }>();
  /** The watchers that run because a client listens to the list, with their release functions. */
  readonly #forLists = new Map<Watch, () => void>();

  constructor(events: WatchEvents) {
    // Watchers report from their own callbacks, where an exception about an invalid change would end the process.
    this.#events = { ...events, updated: (changed) => contain(() => events.updated(changed), events.failed) };
  }

  /** Keeps a watcher running until the returned function is called. */
  hold(watch: Watch): () => void {
    let running = this.#running.get(watch);
    if (running === undefined) {
      running = { holders: 0, stop: this.#start(watch) };
      this.#running.set(watch, running);
    }
    running.holders++;
    const entry = running;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      if (--entry.holders > 0) return;
      this.#running.delete(watch);
      entry.stop();
    };
  }

  /** Holds exactly these watchers for the clients that listen to the list. */
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

  /** Starts a watcher. A failure to start or stop is logged; subscriptions stay open without it. */
  #start(watch: Watch): () => void {
    const { failed } = this.#events;
    let stopped = false;
    let stop: (() => void) | undefined;
    const started = (stopWatcher: () => void): void => {
      if (typeof stopWatcher !== "function") throw new TypeError("watch must return a function that stops it");
      stop = stopWatcher;
      // The last listener left while the watcher was starting.
      if (stopped) contain(stopWatcher, failed);
    };
    contain(() => {
      const starting = watch(this.#events);
      return typeof starting === "function" ? started(starting) : Promise.resolve(starting).then(started);
    }, failed);
    return () => {
      stopped = true;
      if (stop !== undefined) contain(stop, failed);
    };
  }
}
