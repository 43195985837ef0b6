import { Deadlines, type Waiting } from "../../nodes/deadlines.ts";
import { StoreUnavailable } from "../../nodes/ports.ts";

/** The time of one request. */
export interface RequestTime {
  /** The request was answered with an error: what it still does must not take effect. */
  readonly isOver: boolean;
}

const UNLIMITED: RequestTime = { isOver: false };

/**
 * Answers each request about tasks in time. Each call of a store or queue has a limit of its own, but a request that needs
 * several of them must not take as long as all limits together.
 */
export class RequestTimes {
  readonly #deadlines: Deadlines | undefined;

  /** @param limit - in milliseconds; undefined for a store that answers at once */
  constructor(limit: number | undefined) {
    if (limit !== undefined) this.#deadlines = new Deadlines(limit);
  }

  /** @throws {StoreUnavailable} if the time is over. */
  run<Value>(work: (time: RequestTime) => Promise<Value>): Promise<Value> {
    const deadlines = this.#deadlines;
    if (deadlines === undefined) return work(UNLIMITED);
    return new Promise((resolve, reject) => {
      const time: Waiting & { isOver: boolean } = {
        since: performance.now(),
        isOver: false,
        expire: () => {
          time.isOver = true;
          reject(
            new StoreUnavailable("timeout", new Error("The store and the queue did not answer the request in time.")),
          );
        },
      };
      deadlines.add(time);
      work(time)
        .then(resolve, reject)
        .finally(() => deadlines.remove(time));
    });
  }
}
