import type { Middleware } from "../calls/middleware.ts";
import { Busy } from "../protocol/errors.ts";
import { checkNames, checkOptions, checkPositive } from "./options.ts";
import { CALLS, type Per, toKeyFunction } from "./per.ts";

export interface ConcurrencyOptions {
  /** What shares a limit; a list combines several, such as `["principal", "tool"]`. */
  readonly per: Per | readonly Per[];
  /** Calls that may run at the same time. */
  readonly max: number;
  /** The methods that count. Default: those that call, get, read or complete. */
  readonly methods?: readonly string[];
}

const WHERE = "concurrency";

/**
 * Creates middleware that limits the calls that run at the same time, in this process. A refused call gets the error
 * `busy`, and 429 with `Retry-After` over HTTP. @throws {UsageError} for invalid options.
 */
export function concurrency(options: ConcurrencyOptions): Middleware {
  checkOptions(WHERE, options, ["per", "max", "methods"]);
  const { per, max, methods = CALLS } = options;
  checkPositive(WHERE, "max", max, true);
  checkNames(WHERE, "methods", methods);
  const keyOf = toKeyFunction(WHERE, per);
  const counted = new Set(methods);
  /** Has an entry for each key with running calls only, so it cannot grow beyond the calls in flight. */
  const running = new Map<string, number>();
  return async (call, next) => {
    const key = counted.has(call.method) ? keyOf(call) : undefined;
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
