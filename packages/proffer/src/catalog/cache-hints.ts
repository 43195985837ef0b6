import type { Call } from "../calls/call.ts";
import type { CacheHints } from "../protocol/model.ts";
import { UsageError } from "../support/usage-error.ts";

/** @throws {UsageError} for hints that clients would reject. */
export function checkHints(hints: Partial<CacheHints>, where: string): void {
  const { ttlMs = 0, cacheScope = "private" } = hints;
  if (!Number.isInteger(ttlMs) || ttlMs < 0)
    throw new UsageError(
      "bad_option",
      `${where}: cache.ttlMs must be a whole number of milliseconds from 0, not ${ttlMs}.`,
    );
  if (cacheScope !== "public" && cacheScope !== "private")
    throw new UsageError("bad_option", `${where}: cache.cacheScope must be "public" or "private".`);
}

/**
 * Returns the cache hints of a computed result: a result for an authenticated caller is private to that caller, and one
 * for `?toolsets=` to the callers with that query.
 */
export function hintsFor(call: Call): CacheHints {
  const { hints } = call.server;
  const isShared = hints.cacheScope === "public" && (call.origin.principal ?? call.origin.toolsets) !== undefined;
  return isShared ? { ...hints, cacheScope: "private" } : hints;
}

/** Returns the hints of a fixed list. Middleware may filter any page of it by caller, and all pages must agree. */
export function listHints(call: Call): CacheHints {
  const { server, origin } = call;
  return server.middleware.length === 0 && origin.toolsets === undefined ? server.hints : hintsFor(call);
}
