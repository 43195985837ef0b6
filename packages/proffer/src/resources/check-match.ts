import type { Match } from "../uri/match.ts";
import type { CheckedVariable, ParamChecks, Params } from "./check-params.ts";
import { type Param, ParamIssue } from "./params/param.ts";
import { refusalError } from "./refuse.ts";
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
  for (const [name, value] of match.unknown) {
    throw refusalError(rules, "unknown_key", uri, {
      name,
      value,
      keys,
      reason: `is an unknown query parameter; ${known}`,
    });
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

/** Checks the items of a list and reports the first invalid one. */
function checkItems(
  param: Param,
  items: readonly string[],
): unknown[] | InvalidItem | Promise<unknown[] | InvalidItem> {
  const checked = items.map((item) => param.check(item));
  const settle = (all: unknown[]): unknown[] | InvalidItem => {
    const at = all.findIndex((each) => each instanceof ParamIssue);
    return at === -1 ? all : new InvalidItem(items[at] ?? "", all[at] as ParamIssue);
  };
  return checked.some((each) => each instanceof Promise) ? Promise.all(checked).then(settle) : settle(checked);
}

/** An invalid item of a list. */
class InvalidItem {
  readonly item: string;
  readonly issue: ParamIssue;

  constructor(item: string, issue: ParamIssue) {
    this.item = item;
    this.issue = issue;
  }
}

function acceptOrThrow(
  rules: ResourceRules,
  { name, param }: CheckedVariable,
  value: unknown,
  checked: unknown,
  uri: string,
): unknown {
  if (!(checked instanceof ParamIssue || checked instanceof InvalidItem)) return checked;
  const { kind, reason, limit, char } = checked instanceof ParamIssue ? checked : checked.issue;
  const invalid = checked instanceof ParamIssue ? String(value ?? "") : checked.item;
  throw refusalError(rules, kind, uri, { name, label: param.label ?? name, value: invalid, reason, limit, char });
}
