import type { RpcError } from "../protocol/errors.ts";
import { UsageError } from "../support/usage-error.ts";
import type { MatchOptions } from "../uri/reading.ts";
import { dropEmptySegments, pathEnd } from "../uri/segments.ts";
import { dotSegment } from "./params/path.ts";
import { type Refusal, type RefusalKind, type RefusalMessages, toError } from "./refusal.ts";

const STEPS = ["faults", "path", "query", "unknown"] as const;

/** A step in checking a URI: malformed escapes and keys, path variables, query variables, undeclared query keys. */
export type CheckStep = (typeof STEPS)[number];

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
  readonly order?: readonly CheckStep[];
  /** Whether to list templates without their `{?…}`. Reads accept the query in either case. Default: false. */
  readonly hideQuery?: boolean;
  /** The message (and optionally the code) for each kind of refusal, or one function for all except `foreign`. */
  readonly messages?: RefusalMessages;
}

export interface ResourceRules {
  readonly prefix: string;
  readonly match: MatchOptions;
  readonly refuseDotSegments: boolean;
  readonly order: readonly CheckStep[];
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
    throw new UsageError(
      "bad_option",
      `The uri of a resource group must be a prefix without variables, such as "orders://".`,
    );
  }
  if (order.length !== STEPS.length || !STEPS.every((step) => order.includes(step))) {
    throw new UsageError("bad_option", `Resource group ${uri}: order must contain each of ${STEPS.join(", ")} once.`);
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

type Detail = Partial<Pick<Refusal, "name" | "label" | "value" | "reason" | "limit" | "char" | "keys">>;

/** Creates the error that rejects a URI, with the message of its group. */
export function refusalError(rules: ResourceRules, kind: RefusalKind, uri: string, detail: Detail = {}): RpcError {
  const { name = "", value = "" } = detail;
  const refusal: Refusal = {
    kind,
    uri,
    name,
    label: detail.label ?? name,
    value,
    reason: detail.reason ?? "",
    limit: detail.limit,
    char: detail.char,
    keys: detail.keys ?? [],
    ...splitUri(rules, uri),
  };
  return toError(refusal, rules.messages);
}

/** Rejects a path with a segment "." or "..". @throws {RpcError} */
export function checkDotSegments(rules: ResourceRules, uri: string): void {
  if (!rules.refuseDotSegments) return;
  const segment = dotSegment(uri, rules.match.decode !== false);
  if (segment === undefined) return;
  throw refusalError(rules, "traversal", uri, {
    value: segment,
    reason: "is a dot segment; remove it",
  });
}

function splitUri(rules: ResourceRules, uri: string): Pick<Refusal, "segments" | "query"> {
  const { emptySegments } = rules.match;
  const whole = emptySegments === "drop" ? dropEmptySegments(uri) : uri;
  const rest = whole.startsWith(rules.prefix) ? whole.slice(rules.prefix.length) : whole;
  const end = pathEnd(rest);
  const path = rest.slice(0, end);
  const query = new Map<string, string>();
  for (const pair of rest.charAt(end) === "?" ? rest.slice(end + 1).split("&") : []) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    query.set(equals === -1 ? pair : pair.slice(0, equals), equals === -1 ? "" : pair.slice(equals + 1));
  }
  return { segments: path === "" ? [] : path.split("/"), query };
}
