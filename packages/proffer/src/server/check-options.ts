import type { ErrorsOption } from "../calls/exposed-error.ts";
import { checkName } from "../catalog/names.ts";
import type { CacheHints } from "../protocol/model.ts";
import { badOption, checkFlag, UsageError } from "../support/usage-error.ts";
import type { ServerOptions } from "./options.ts";

/** Checks the options that nothing else checks. @throws {UsageError} */
export function checkOptions(options: ServerOptions): void {
  const { name, version, pageSize = 1 } = options;
  checkName(name, "a server");
  const where = `Server "${name}"`;
  if (typeof version !== "string" || version === "") throw new UsageError("bad_option", `${where} requires a version.`);
  if (options.cluster !== undefined && options.store !== undefined)
    throw new UsageError("bad_option", `${where}: cluster contains a store, so remove the option store.`);
  for (const hook of ["onStart", "onStop", "shows"] as const) {
    if (options[hook] !== undefined && typeof options[hook] !== "function")
      throw badOption(where, hook, "a function", options[hook]);
  }
  for (const flag of ["coerce", "closedResults", "adapt"] as const) checkFlag(flag, options[flag], where);
  if (!Number.isInteger(pageSize) || pageSize < 1)
    throw badOption(where, "pageSize", "a whole number of at least 1", pageSize);
}

/**
 * Whether lists depend on the caller.
 * @throws {UsageError} for an invalid option, or if shared caches would return the list of one caller to another.
 */
export function filtersLists(
  { name, shows, lists = "all", resourceTools = "auto", adapt }: ServerOptions,
  { cacheScope }: CacheHints,
): boolean {
  const where = `Server "${name}"`;
  if (lists !== "all" && lists !== "granted") throw badOption(where, "lists", '"all" or "granted"', lists);
  if (resourceTools !== "auto" && resourceTools !== "always" && resourceTools !== "never")
    throw badOption(where, "resourceTools", '"auto", "always" or "never"', resourceTools);
  const filters = shows !== undefined || lists === "granted";
  if ((filters || adapt) && cacheScope === "public")
    throw new UsageError(
      "bad_option",
      `${where}: cacheScope "public" contradicts shows, adapt and lists: "granted", because lists depend on the caller.`,
    );
  return filters;
}

/** @throws {UsageError} for a value that is neither a mode nor a function. */
export function checkErrors(errors: ErrorsOption, name: string): ErrorsOption {
  if (errors === "masked" || errors === "message" || typeof errors === "function") return errors;
  throw badOption(`Server "${name}"`, "errors", '"masked", "message" or a function', errors);
}
