import { UsageError } from "../support/usage-error.ts";
import type { Match } from "../uri/reading.ts";
import type { Template } from "../uri/template.ts";
import { type Param, ParamIssue, type ParamSource } from "./params/param.ts";
import { ANY_TEXT } from "./params/path.ts";
import { toParam } from "./params/to-param.ts";
import { type ResourceRules, refusalError } from "./rules.ts";

/** The checked values that a handler receives, by variable name. */
export type Params = Record<string, unknown>;

/** A template variable and its check. */
export interface CheckedVariable {
  readonly name: string;
  readonly param: Param;
}

/** The checks for the variables of a template. */
export interface ParamChecks {
  /** Path variables, in the order of the template. */
  readonly path: readonly CheckedVariable[];
  /** Declared query variables, in the order of their declaration. */
  readonly query: readonly CheckedVariable[];
  /** The keys that the query accepts. */
  readonly keys: readonly string[];
}

const NO_CHECKS: ParamChecks = { path: [], query: [], keys: [] };

/** Creates the checks for a template. @throws {UsageError} for a parameter that is not a variable of the template. */
export function toParamChecks(
  template: Template | undefined,
  declared: { readonly [name: string]: ParamSource },
  uri: string,
): ParamChecks {
  const variables = template?.variables ?? [];
  const names = new Set(variables.map(({ name }) => name));
  const params = new Map<string, Param>();
  for (const [name, source] of Object.entries(declared)) {
    if (!names.has(name)) {
      throw new UsageError(
        "bad_option",
        `Resource ${uri}: params has ${JSON.stringify(name)}, but the uri has no {${name}}.`,
      );
    }
    params.set(name, toParam(source, `Resource ${uri}: params.${name}`));
  }
  if (template === undefined) return NO_CHECKS;
  const inQuery = variables.filter(({ operator }) => operator === "?" || operator === "&").map(({ name }) => name);
  const inPath = [...names].filter((name) => !inQuery.includes(name));
  return {
    path: inPath.map((name) => ({ name, param: params.get(name) ?? ANY_TEXT })),
    // A query value is not used as a path, so an undeclared one may be any text.
    query: [...params].filter(([name]) => inQuery.includes(name)).map(([name, param]) => ({ name, param })),
    keys: inQuery,
  };
}

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
