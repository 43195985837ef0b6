import { CallView } from "../calls/call-view.ts";
import { CHECK_SERVER, type Middleware } from "../calls/middleware.ts";
import { MemoryStore } from "../calls/store.ts";
import { Busy } from "../protocol/errors.ts";
import type { ServerState } from "../server/server.ts";
import { UsageError } from "../support/usage-error.ts";
import { CALLS, checkOptions, checkPositive, type Per, toKeyFunction } from "./options.ts";

export interface RateLimitOptions {
  /** The calls that share a limit; a list combines several, such as `["principal", "tool"]`. */
  readonly per: Per | readonly Per[];
  /** Calls per second on average, such as 0.5. */
  readonly rate: number;
  /**
   * Calls that may come at once: at most this many in each window of `burst / rate` seconds. Default: `rate`, rounded up.
   */
  readonly burst?: number;
  /** The methods that count. Default: those that call, get, read or complete. */
  readonly methods?: readonly string[];
}

const RATE_LIMIT = "rateLimit";

/**
 * Creates middleware that limits the rate of calls. It counts in the server's `store`, so nodes with one store share the
 * limit. While the store of a `cluster` fails, each node limits on its own, in memory. The rounds of one call count once. A refused call
 * gets the error `busy`, and 429 with `Retry-After` over HTTP.
 * @throws {UsageError} for invalid options, and in `defineServer` if the store has no `count`.
 */
export function rateLimit(options: RateLimitOptions): Middleware {
  checkOptions(RATE_LIMIT, options, ["per", "rate", "burst", "methods"]);
  const { per, rate, burst = Math.ceil(rate), methods = CALLS } = options;
  checkPositive(RATE_LIMIT, "rate", rate);
  checkPositive(RATE_LIMIT, "burst", burst, true);
  const keyOf = toKeyFunction(RATE_LIMIT, per, methods);
  const window = Math.ceil((burst / rate) * 1000);
  // Limits that differ do not share their counts.
  const name = `rate ${rate} ${burst} ${JSON.stringify(methods)}`;
  const counts = new Counts();
  const middleware: Middleware = async (call, next) => {
    const key = call.round > 0 ? undefined : keyOf(call);
    if (key === undefined) return next();
    const now = Date.now();
    const server = CallView.callOf(call)?.server;
    if (server?.store.count === undefined) throw noCount(server);
    const count = await counts.count(server, `${name} ${key} ${Math.floor(now / window)}`, window);
    if (count <= burst) return next();
    const seconds = (window - (now % window)) / 1000;
    throw new Busy(`Too many calls: the limit is ${burst} in ${window / 1000} s. Try again later.`, seconds);
  };
  return Object.assign(middleware, {
    [CHECK_SERVER]: (server: ServerState) => {
      if (typeof server.store.count !== "function") throw noCount(server);
    },
  });
}

const ALONE = "The store does not count calls. Until it does, this node limits the rate of calls on its own";

/**
 * Counts in the store of a server, or in memory while the store of its cluster fails. Refusing all calls would make an
 * outage of the store one of the server, and no limit would invite a flood.
 */
class Counts {
  readonly #memory = new MemoryStore();
  #isAlone = false;

  async count({ store, cluster, log }: ServerState, key: string, milliseconds: number): Promise<number> {
    let count: unknown;
    try {
      count = await store.count?.(key, milliseconds);
    } catch (error) {
      if (cluster === undefined) throw error;
      // Once per outage.
      if (!this.#isAlone) log({ level: "error", message: ALONE, error });
      this.#isAlone = true;
      return this.#memory.count(key, milliseconds);
    }
    // A store that answers anything else would switch the limit off.
    if (typeof count !== "number" || Number.isNaN(count)) throw new TypeError("store.count must return a number");
    this.#isAlone = false;
    return count;
  }
}

function noCount(server: ServerState | undefined): UsageError {
  return new UsageError(
    `Server "${server?.info.name}": rateLimit() needs a store with count(key, milliseconds), and this store has none.`,
  );
}

export interface ConcurrencyOptions {
  /** The calls that share a limit; a list combines several, such as `["principal", "tool"]`. */
  readonly per: Per | readonly Per[];
  /** Calls that may run at the same time. */
  readonly max: number;
  /** The methods that count. Default: those that call, get, read or complete. */
  readonly methods?: readonly string[];
}

const CONCURRENCY = "concurrency";

/**
 * Creates middleware that limits the calls that run at the same time, in this process. A refused call gets the error
 * `busy`, and 429 with `Retry-After` over HTTP. @throws {UsageError} for invalid options.
 */
export function concurrency(options: ConcurrencyOptions): Middleware {
  checkOptions(CONCURRENCY, options, ["per", "max", "methods"]);
  const { per, max, methods = CALLS } = options;
  checkPositive(CONCURRENCY, "max", max, true);
  const keyOf = toKeyFunction(CONCURRENCY, per, methods);
  /** Has an entry for each key with running calls only, so it cannot grow beyond the calls in flight. */
  const running = new Map<string, number>();
  return async (call, next) => {
    const key = keyOf(call);
    if (key === undefined) return next();
    const count = running.get(key) ?? 0;
    if (count >= max) throw new Busy(`Too many calls at the same time: the limit is ${max}. Try again later.`);
    running.set(key, count + 1);
    try {
      return await next();
    } finally {
      const left = (running.get(key) ?? 1) - 1;
      if (left > 0) running.set(key, left);
      else running.delete(key);
    }
  };
}
