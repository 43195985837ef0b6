import { CallView } from "../calls/call-view.ts";
import { CHECK_SERVER, type Middleware } from "../calls/middleware.ts";
import { Busy } from "../protocol/errors.ts";
import type { ServerState } from "../server/server.ts";
import { UsageError } from "../support/usage-error.ts";
import { checkNames, checkOptions, checkPositive } from "./options.ts";
import { CALLS, type Per, toKeyFunction } from "./per.ts";

export interface RateLimitOptions {
  /** What shares a limit; a list combines several, such as `["principal", "tool"]`. */
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

const WHERE = "rateLimit";

/**
 * Creates middleware that limits the rate of calls. It counts in the server's `store`, so nodes with one store share the
 * limit. The rounds of one call count once. A refused call gets the error `busy`, and 429 with `Retry-After` over HTTP.
 * @throws {UsageError} for invalid options, and in `defineServer` if the store has no `count`.
 */
export function rateLimit(options: RateLimitOptions): Middleware {
  checkOptions(WHERE, options, ["per", "rate", "burst", "methods"]);
  const { per, rate, burst = Math.ceil(rate), methods = CALLS } = options;
  checkPositive(WHERE, "rate", rate);
  checkPositive(WHERE, "burst", burst, true);
  checkNames(WHERE, "methods", methods);
  const keyOf = toKeyFunction(WHERE, per);
  const counted = new Set(methods);
  const window = Math.ceil((burst / rate) * 1000);
  // Limits that differ do not share their counts.
  const name = `rate ${rate} ${burst} ${JSON.stringify(methods)}`;
  const middleware: Middleware = async (call, next) => {
    if (!counted.has(call.method) || call.round > 0) return next();
    const key = keyOf(call);
    if (key === undefined) return next();
    const now = Date.now();
    const server = CallView.callOf(call)?.server;
    if (server?.store.count === undefined) throw noCount(server);
    const count = await server.store.count(`${name} ${key} ${Math.floor(now / window)}`, window);
    // A store that answers anything else would switch the limit off.
    if (typeof count !== "number" || Number.isNaN(count)) throw new TypeError("store.count must return a number");
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

function noCount(server: ServerState | undefined): UsageError {
  return new UsageError(
    "bad_option",
    `Server "${server?.info.name}": rateLimit() needs a store with count(key, milliseconds), and this store has none.`,
  );
}
