import { UsageError } from "../support/usage-error.ts";
import type { Match } from "../uri/reading.ts";
import type { Template } from "../uri/template.ts";
import { type Param, ParamIssue, type ParamSource } from "./params/param.ts";
import { ANY_TEXT } from "./params/path.ts";
import { toParam } from "./params/to-param.ts";
import { type ResourceRules, refusalError } from "./rules.ts";

/** The values that a handler gets, by the names of the variables. */
export type Params = Record<string, unknown>;

/** One variable of a template with its check. */
export interface CheckedVariable {
  readonly name: string;
  readonly param: Param;
}

/** How the variables of a template are checked. */
export interface ParamChecks {
  /** In the order of the template. */
  readonly path: readonly CheckedVariable[];
  /** Those that are declared, in that order. */
  readonly query: readonly CheckedVariable[];
  /** The keys that the query may have. */
  readonly keys: readonly string[];
}

const NO_CHECKS: ParamChecks = { path: [], query: [], keys: [] };

/** Prepares the checks of a template. @throws {UsageError} for a parameter without a variable. */
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
    // What a query holds leads nowhere: without a declaration it is any text.
    query: [...params].filter(([name]) => inQuery.includes(name)).map(([name, param]) => ({ name, param })),
    keys: inQuery,
  };
}

/** Checks what a template found in a URI; the values of the match become those of the handler. @throws {RpcError} */
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
        // Another check may refuse the URI first; nobody waits for this one then.
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
  throw refusalError(rules, kind, uri, { name, value, reason: FAULTS[kind] });
}

const FAULTS = {
  malformed_escape: "is not the percent-encoding of UTF-8",
  duplicate_key: "stands under a key that came before; give each once",
  empty_key: "has no key in the query; write key=value",
};

function checkUnknown(rules: ResourceRules, checks: ParamChecks, match: Match, uri: string): void {
  if (match.unknown.size === 0) return;
  const { keys } = checks;
  const known = keys.length === 0 ? "the resource takes none" : `the resource takes ${keys.join(", ")}`;
  for (const [name, value] of match.unknown) {
    throw refusalError(rules, "unknown_key", uri, {
      name,
      value,
      keys,
      reason: `is an unknown query parameter; ${known}`,
    });
  }
}

/** Puts what the check makes of a value in its place; returns a promise only where a schema does. */
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
    return checked.then((late) => {
      values[name] = accepted(rules, variable, value, late, uri);
    });
  }
  values[name] = accepted(rules, variable, value, checked, uri);
  return undefined;
}

/** Checks the items of a list, of which the first that is refused decides. */
function checkItems(param: Param, items: readonly string[]): unknown[] | FlawedItem | Promise<unknown[] | FlawedItem> {
  const checked = items.map((item) => param.check(item));
  const settle = (all: unknown[]): unknown[] | FlawedItem => {
    const at = all.findIndex((each) => each instanceof ParamIssue);
    return at === -1 ? all : new FlawedItem(items[at] ?? "", all[at] as ParamIssue);
  };
  return checked.some((each) => each instanceof Promise) ? Promise.all(checked).then(settle) : settle(checked);
}

/** An item of a list that is refused. */
class FlawedItem {
  readonly item: string;
  readonly flaw: ParamIssue;

  constructor(item: string, flaw: ParamIssue) {
    this.item = item;
    this.flaw = flaw;
  }
}

function accepted(
  rules: ResourceRules,
  { name, param }: CheckedVariable,
  value: unknown,
  checked: unknown,
  uri: string,
): unknown {
  if (!(checked instanceof ParamIssue || checked instanceof FlawedItem)) return checked;
  const { kind, reason, limit, char } = checked instanceof ParamIssue ? checked : checked.flaw;
  const refused = checked instanceof ParamIssue ? String(value ?? "") : checked.item;
  throw refusalError(rules, kind, uri, { name, label: param.label ?? name, value: refused, reason, limit, char });
}
