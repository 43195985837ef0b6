import type { Report } from "./report.ts";

/** Decides about a value. Called on every tool call: it must neither allocate nor throw. */
export type Check = (value: unknown) => boolean;

/** Writes down everything that `Check` objects to. */
export type Explain = (value: unknown, pointer: string, report: Report) => void;

/** What loops over properties and items decide in place, because a call costs more than the test; the rest is called. */
export type Kind = "any" | "boolean" | "call" | "integer" | "number" | "string";

/** What a schema, or one part of it, demands of a value. `check` and `explain` always agree. */
export interface Rule {
  readonly kind: Kind;
  readonly check: Check;
  readonly explain: Explain;
}

/** Makes a rule of any kind; the only place that does, so that all rules have one shape to the engine. */
export function createRule(check: Check, explain: Explain, kind: Kind = "call"): Rule {
  return { kind, check, explain };
}

/** Makes a rule that objects with a single message. */
export function createLeaf(check: Check, message: (value: unknown) => string): Rule {
  return createRule(check, (value, pointer, report) => {
    if (!check(value)) report.add(pointer, message(value));
  });
}

/** Admits every value. */
export const anything: Rule = createRule(
  () => true,
  () => {},
  "any",
);

/** Admits no value. */
export const nothing: Rule = createLeaf(
  () => false,
  () => "is not allowed",
);

/** Joins rules into one that demands them all. */
export function allOf(list: readonly Rule[]): Rule {
  const rules = list.filter((rule) => rule !== anything);
  const [first, second] = rules;
  if (first === undefined) return anything;
  if (second === undefined) return first;
  const explain: Explain = (value, pointer, report) => {
    for (const rule of rules) rule.explain(value, pointer, report);
  };
  const checks = rules.map((rule) => rule.check);
  if (rules.length > 2) return createRule((value) => everyPasses(checks, value), explain);
  const [a, b] = [first.check, second.check];
  return createRule((value) => a(value) && b(value), explain);
}

function everyPasses(checks: readonly Check[], value: unknown): boolean {
  for (const check of checks) if (!check(value)) return false;
  return true;
}

/** Counts the checks that admit a value, up to `limit`. */
export function countPassing(checks: readonly Check[], value: unknown, limit: number): number {
  let count = 0;
  for (const check of checks) {
    if (check(value) && ++count === limit) break;
  }
  return count;
}
