import type { Call } from "../calls/call.ts";
import type { CacheHints } from "../protocol/model.ts";
import { badOption } from "../support/usage-error.ts";

/** @throws {UsageError} for hints that clients would reject. */
export function checkHints(hints: Partial<CacheHints>, where: string): void {
  const { ttlMs = 0, cacheScope = "private" } = hints;
  if (!Number.isInteger(ttlMs) || ttlMs < 0)
    throw badOption(where, "cache.ttlMs", "a whole number of milliseconds from 0", ttlMs);
  if (cacheScope !== "public" && cacheScope !== "private")
    throw badOption(where, "cache.cacheScope", '"public" or "private"', cacheScope);
}

/**
 * Returns the cache hints of a computed result: a result for an authenticated caller is private to that caller, one for
 * a query such as `?toolsets=` to the callers with that query, and one for clients with the same profile to them.
 */
export function hintsFor(call: Call): CacheHints {
  const { hints } = call.server;
  const { principal, query } = call.origin;
  const isPrivate = principal !== undefined || Boolean(query) || dependsOnClient(call);
  return hints.cacheScope === "public" && isPrivate ? { ...hints, cacheScope: "private" } : hints;
}

/** Returns the hints of a fixed list. Middleware may filter any page of it by caller, and all pages must agree. */
export function listHints(call: Call): CacheHints {
  const { middleware, hints } = call.server;
  const isFixed = middleware.length === 0 && !call.origin.query && !dependsOnClient(call);
  return isFixed ? hints : hintsFor(call);
}

/** Whether the client decides which resources are in the list of tools. A shared cache would give it to other clients. */
function dependsOnClient({ server: { options, resources }, method }: Call): boolean {
  if (resources.size === 0 || (options.resourceTools ?? "auto") !== "auto") return false;
  return method === "tools/list" || method === "server/discover";
}
