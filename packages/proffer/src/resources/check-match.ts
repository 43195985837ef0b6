import { type ErrorName, InvalidParams, NotFound, RpcError } from "../protocol/errors.ts";
import { defined } from "../support/objects.ts";
import type { Fault, Match } from "../uri/match.ts";
import { quote } from "../uri/parse.ts";
import { dotSegment, dropEmptySegments, pathEnd } from "../uri/uri-text.ts";
import type { CheckedVariable, ParamChecks, Params } from "./check-params.ts";
import { type Param, ParamIssue, type ParamIssueKind } from "./param.ts";
import type { ResourceRules } from "./rules.ts";

/** Checks the values of a template match and returns the values for the handler. @throws {RpcError} */
export function checkMatch(
  rules: ResourceRules,
  checks: ParamChecks,
  match: Match,
  uri: string,
): Params | Promise<Params> {
  const values = match.values as Params;
  let pending: Promise<void>[] | undefined;
  for (const step of rules.order) {
    if (step === "faults") checkFaults(rules, match, uri);
    else if (step === "unknown") checkUnknown(rules, checks, match, uri);
    else {
      for (const variable of checks[step]) {
        const waiting = checkVariable(rules, variable, values, uri);
        if (waiting === undefined) continue;
        // A later check may throw first, and then nothing awaits this promise.
        waiting.catch(() => undefined);
        pending ??= [];
        pending.push(waiting);
      }
    }
  }
  return pending === undefined ? values : Promise.all(pending).then(() => values);
}

function checkFaults(rules: ResourceRules, match: Match, uri: string): void {
  const [fault] = match.faults;
  if (fault === undefined) return;
  const { kind, name, value } = fault;
  throw refusalError(rules, kind, uri, { name, value, reason: FAULT_REASONS[kind] });
}

const FAULT_REASONS = {
  malformed_escape: "is not valid percent-encoded UTF-8",
  duplicate_key: "is a duplicate query parameter; send each parameter once",
  empty_key: "is a query value without a key; write key=value",
};

function checkUnknown(rules: ResourceRules, checks: ParamChecks, match: Match, uri: string): void {
  if (match.unknown.size === 0) return;
  const { keys } = checks;
  const known = keys.length === 0 ? "the resource accepts none" : `the resource accepts ${keys.join(", ")}`;
  const reason = `is an unknown query parameter; ${known}`;
  for (const [name, value] of match.unknown) {
    throw refusalError(rules, "unknown_key", uri, { name, value, keys, reason });
  }
}

/** Replaces a value by its checked one. Returns a promise only if the schema is asynchronous. */
function checkVariable(
  rules: ResourceRules,
  variable: CheckedVariable,
  values: Params,
  uri: string,
): Promise<void> | undefined {
  const { name, param } = variable;
  const value = values[name] as string | readonly string[] | undefined;
  if (value === undefined && !param.checksAbsence) {
    if (param.fallback !== undefined) values[name] = param.fallback;
    return undefined;
  }
  const checked = typeof value === "object" ? checkItems(param, value) : param.check(value as string);
  if (checked instanceof Promise) {
    return checked.then((settled) => {
      values[name] = acceptOrThrow(rules, variable, value, settled, uri);
    });
  }
  values[name] = acceptOrThrow(rules, variable, value, checked, uri);
  return undefined;
}

function checkItems(param: Param, items: readonly string[]): unknown[] | Promise<unknown[]> {
  const checked = items.map((item) => param.check(item));
  return checked.some((each) => each instanceof Promise) ? Promise.all(checked) : checked;
}

/** Returns the checked value, or the checked items of a list. @throws {RpcError} for the first invalid one */
function acceptOrThrow(
  rules: ResourceRules,
  { name, param }: CheckedVariable,
  given: string | readonly string[] | undefined,
  checked: unknown,
  uri: string,
): unknown {
  const isList = typeof given === "object";
  const at = isList ? (checked as unknown[]).findIndex((each) => each instanceof ParamIssue) : -1;
  const issue = at === -1 ? checked : (checked as unknown[])[at];
  if (!(issue instanceof ParamIssue)) return checked;
  const value = (isList ? given[at] : given) ?? "";
  const { kind, reason, limit, char } = issue;
  throw refusalError(rules, kind, uri, { name, label: param.label ?? name, value, reason, limit, char });
}

/** The reasons to reject a read: all are found before the handler runs, except `missing`. */
export type RefusalKind =
  | ParamIssueKind
  | Fault["kind"]
  /** No resource matches the URI, and it starts with no group's prefix. */
  | "foreign"
  /** The handler returned nothing, or threw a `NotFound` without a message. */
  | "missing"
  /** The path has a segment "." or "..". */
  | "traversal"
  /** The query has a key that the template does not declare. */
  | "unknown_key"
  /** The URI starts with the group's prefix, but none of its resources matches. */
  | "unmatched";

/** The details of a refusal, passed to `messages`. */
export interface Refusal {
  readonly kind: RefusalKind;
  readonly uri: string;
  /** The variable or query key; "" if the refusal is not about one. */
  readonly name: string;
  /** The `label` of the parameter. Default: its name. */
  readonly label: string;
  /** The invalid value, key or segment. */
  readonly value: string;
  /** The problem, worded to follow the value. */
  readonly reason: string;
  /** The limit that was exceeded. */
  readonly limit: number | undefined;
  /** The first character that is not allowed. */
  readonly char: string | undefined;
  /** The keys that the query accepts. */
  readonly keys: readonly string[];
  /** The segments of the path after the group's prefix. */
  readonly segments: readonly string[];
  readonly query: ReadonlyMap<string, string>;
}

/**
 * A function for each kind of refusal, or one for all of them. It returns the message, sent as invalid params without data,
 * or an error that is sent as it is.
 */
export type RefusalMessages =
  | ((refusal: Refusal) => string | RpcError)
  | { readonly [Kind in RefusalKind]?: (refusal: Refusal) => string | RpcError };

/** The error for a message from the author's function. @throws {TypeError} for any other value. */
export function messageError(kind: ErrorName, message: unknown, where: string): RpcError {
  if (message instanceof RpcError) return message;
  if (typeof message === "string") return new RpcError(kind, message);
  // The function may be async; its rejection must not end the process.
  if (message instanceof Promise) message.catch(() => undefined);
  throw new TypeError(`${where} must return a string or an RpcError`);
}

function defaultError(refusal: Refusal): RpcError {
  const { kind, name, value, limit, uri, reason } = refusal;
  if (kind === "foreign" || kind === "unmatched" || kind === "missing") {
    return new NotFound(`Resource not found: ${quote(uri)}.`, { uri });
  }
  const subject = name === "" ? quote(value) : `${refusal.label} ${quote(value)}`;
  const data = defined({ uri, name: name === "" ? undefined : name, value, limit });
  return new InvalidParams(`${subject} in ${quote(uri)} ${reason}.`, data);
}

type Detail = Partial<Pick<Refusal, "name" | "label" | "value" | "reason" | "limit" | "char" | "keys">>;

/** Creates the error that rejects a URI, with the message of its group. */
export function refusalError(rules: ResourceRules, kind: RefusalKind, uri: string, detail: Detail = {}): RpcError {
  const { name = "", label = name, value = "", reason = "", limit, char, keys = [] } = detail;
  const refusal: Refusal = { kind, uri, name, label, value, reason, limit, char, keys, ...splitUri(rules, uri) };
  const { messages } = rules;
  const createMessage = typeof messages === "function" ? messages : messages[kind];
  if (createMessage === undefined) return defaultError(refusal);
  return messageError("invalid_params", createMessage(refusal), `messages.${kind}`);
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
