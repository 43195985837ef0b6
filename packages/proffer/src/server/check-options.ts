import type { ErrorsOption } from "../calls/exposed-error.ts";
import type { CacheHints } from "../protocol/model.ts";
import { UsageError } from "../support/usage-error.ts";
import type { ServerOptions } from "./options.ts";

/**
 * Whether lists depend on the caller.
 * @throws {UsageError} for an invalid option, or if shared caches would return the list of one caller to another.
 */
export function filtersLists(
  { name, shows, lists = "all", adapt }: ServerOptions,
  { cacheScope }: CacheHints,
): boolean {
  if (lists !== "all" && lists !== "granted")
    throw new UsageError("bad_option", `Server "${name}": lists must be "all" or "granted", not ${String(lists)}.`);
  const filters = shows !== undefined || lists === "granted";
  if ((filters || adapt) && cacheScope === "public")
    throw new UsageError(
      "bad_option",
      `Server "${name}": cacheScope "public" contradicts shows, adapt and lists: "granted", because lists depend on the caller.`,
    );
  return filters;
}

/** @throws {UsageError} for a value that is neither a mode nor a function. */
export function checkErrors(errors: ErrorsOption, name: string): ErrorsOption {
  if (errors === "masked" || errors === "message" || typeof errors === "function") return errors;
  throw new UsageError(
    "bad_option",
    `Server "${name}": errors must be "masked", "message" or a function, not ${JSON.stringify(errors)}.`,
  );
}
