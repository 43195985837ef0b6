import type { RpcError } from "../protocol/errors.ts";
import { UsageError } from "../support/usage-error.ts";
import type { MatchOptions } from "../uri/reading.ts";
import { dropEmptySegments, pathEnd } from "../uri/segments.ts";
import { dotSegment } from "./params/path.ts";
import { type Refusal, type RefusalKind, type RefusalMessages, toError } from "./refusal.ts";

const STEPS = ["faults", "path", "query", "unknown"] as const;

/** One of the checks of a URI: escapes and keys, variables of the path, of the query, keys that nobody declared. */
export type CheckStep = (typeof STEPS)[number];

/** How the URIs of a group of resources are read, and how they are refused. */
export interface ResourceGroupOptions {
  /** What all URIs of the group begin with. Default: "", so that the group answers whatever no other group owns. */
  readonly uri?: string;
  /** Whether percent-encoding is decoded, once. Default: true. */
  readonly decode?: boolean;
  /** Whether `a//b/` is another path than `a/b`. Default: "keep", it is. */
  readonly emptySegments?: "keep" | "drop";
  /** What a query key that comes twice means. Default: "error". */
  readonly duplicates?: "error" | "first" | "last";
  /** Whether a path with a segment "." or ".." is refused before anything else is looked at. Default: true. */
  readonly refuseDotSegments?: boolean;
  /** The order of checks; the first that fails is reported. Default: faults, path, query, unknown. */
  readonly order?: readonly CheckStep[];
  /** Whether templates are listed without their `{?…}`, which reads accept nevertheless. Default: false. */
  readonly hideQuery?: boolean;
  /** The wording, and if need be the code, of each kind of refusal; or one function for all but `foreign`. */
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

/** The contract of resources without a group. */
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
    throw new UsageError("bad_option", `The uri of a group is what its resources begin with, such as "orders://".`);
  }
  if (order.length !== STEPS.length || !STEPS.every((step) => order.includes(step))) {
    throw new UsageError("bad_option", `Group ${uri}: order must name each of ${STEPS.join(", ")} once.`);
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

/** The error that refuses a URI, as the contract words it. */
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
    ...takeApart(rules, uri),
  };
  return toError(refusal, rules.messages);
}

/** Refuses a path that goes up or stands still. @throws {RpcError} */
export function checkDotSegments(rules: ResourceRules, uri: string): void {
  if (!rules.refuseDotSegments) return;
  const segment = dotSegment(uri, rules.match.decode !== false);
  if (segment === undefined) return;
  throw refusalError(rules, "traversal", uri, {
    value: segment,
    reason: `is a segment that leads elsewhere; leave it out`,
  });
}

function takeApart(rules: ResourceRules, uri: string): Pick<Refusal, "segments" | "query"> {
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
