import { UsageError } from "../support/usage-error.ts";
import type { MatchOptions } from "../uri/match.ts";
import type { RefusalMessages } from "./check-match.ts";

/** The steps in checking a URI: malformed escapes and keys, path variables, query variables, undeclared query keys. */
const STEPS = ["faults", "path", "query", "unknown"] as const;

/** Options for a resource group: how URIs are parsed, checked and rejected. */
export interface ResourceGroupOptions {
  /** The scopes that a caller needs for every resource of the group, besides the resource's own. */
  readonly scopes?: readonly string[];
  /** The common prefix of the group's URIs. Default: "", so that the group handles URIs of no other group. */
  readonly uri?: string;
  /** Whether percent-encoding is decoded (exactly once). Default: true. */
  readonly decode?: boolean;
  /** Whether empty path segments are significant; with "drop", `a//b/` equals `a/b`. Default: "keep". */
  readonly emptySegments?: "keep" | "drop";
  /** How to handle a repeated query key: reject it, or use its first or last value. Default: "error". */
  readonly duplicates?: "error" | "first" | "last";
  /** Whether to reject a path with a segment "." or ".." before any other check. Default: true. */
  readonly refuseDotSegments?: boolean;
  /** The order of the checks; the first failure is reported. Default: faults, path, query, unknown. */
  readonly order?: readonly (typeof STEPS)[number][];
  /** Whether to list templates without their `{?…}`. Reads accept the query in either case. Default: false. */
  readonly hideQuery?: boolean;
  /** The message (and optionally the code) for each kind of refusal, or one function for all except `foreign`. */
  readonly messages?: RefusalMessages;
}

export interface ResourceRules {
  readonly prefix: string;
  readonly match: MatchOptions;
  readonly refuseDotSegments: boolean;
  readonly order: readonly (typeof STEPS)[number][];
  readonly hideQuery: boolean;
  readonly messages: RefusalMessages;
}

/** The rules of resources without a group. */
export const DEFAULT_RULES: ResourceRules = {
  prefix: "",
  match: {},
  refuseDotSegments: true,
  order: STEPS,
  hideQuery: false,
  messages: {},
};

/** Checks the options of a group. @throws {UsageError} */
export function toRules(options: ResourceGroupOptions): ResourceRules {
  const { uri = "", decode = true, emptySegments = "keep", duplicates = "error", order = STEPS } = options;
  if (typeof uri !== "string" || uri.includes("{")) {
    throw new UsageError(`The uri of a resource group must be a prefix without variables, such as "orders://".`);
  }
  if (order.length !== STEPS.length || !STEPS.every((step) => order.includes(step))) {
    throw new UsageError(`Resource group ${uri}: order must contain each of ${STEPS.join(", ")} once.`);
  }
  return {
    prefix: uri,
    match: { decode, emptySegments, duplicates },
    refuseDotSegments: options.refuseDotSegments ?? true,
    order,
    hideQuery: options.hideQuery ?? false,
    messages: options.messages ?? {},
  };
}
