import { isObject } from "../../protocol/messages.ts";
import { type Report, run } from "./run.ts";

/** Validates a value. It runs on every tool call, so it must neither allocate nor throw. */
export type Check = (value: unknown) => boolean;

/** Reports all issues of a value that `Check` rejects. */
export type Explain = (value: unknown, pointer: string, report: Report) => void;

/** The checks that loops over properties and items do inline, without a function call; "call" is any other check. */
export type Kind = "any" | "boolean" | "call" | "integer" | "number" | "string";

/** A compiled schema or part of a schema. `check` and `explain` always agree. */
export interface Rule {
  readonly kind: Kind;
  readonly check: Check;
  readonly explain: Explain;
}

/** Creates a rule. All rules are created here, so that they share one hidden class in V8. */
export function createRule(check: Check, explain: Explain, kind: Kind = "call"): Rule {
  return { kind, check, explain };
}

/** Creates a rule with a single message. */
export function createLeaf(check: Check, message: (value: unknown) => string): Rule {
  return createRule(check, (value, pointer, report) => {
    if (!check(value)) report.add(pointer, message(value));
  });
}

/** Accepts every value. */
export const anything: Rule = createRule(
  () => true,
  () => {},
  "any",
);

/** Rejects every value. */
export const nothing: Rule = createLeaf(
  () => false,
  () => "is not allowed",
);

/** Combines rules into one that requires all of them. */
export function allOf(list: readonly Rule[]): Rule {
  const rules = list.filter((rule) => rule !== anything);
  const [first, second] = rules;
  if (first === undefined) return anything;
  if (second === undefined) return first;
  const explain: Explain = (value, pointer, report) => {
    for (const rule of rules) {
      if (--run.left < 0) return;
      rule.explain(value, pointer, report);
    }
  };
  const checks = rules.map((rule) => rule.check);
  if (rules.length > 2) return createRule((value) => everyPasses(checks, value), explain);
  const [a, b] = [first.check, second.check];
  return createRule((value) => a(value) && b(value), explain);
}

function everyPasses(checks: readonly Check[], value: unknown): boolean {
  run.left -= checks.length >> 1;
  if (run.left < 0) return false;
  for (const check of checks) if (!check(value)) return false;
  return true;
}

/** Counts the alternatives that accept a value, up to `limit`. */
export function countPassing(checks: readonly Check[], value: unknown, limit: number): number {
  let count = 0;
  for (const check of checks) {
    if (--run.left < 0) break;
    if (check(value) && ++count === limit) break;
  }
  return count;
}

/** The rule of each type name. NaN and the infinities are not JSON, although `JSON.parse("1e999")` returns one. */
export const typeRules: ReadonlyMap<string, Rule> = new Map([
  ["string", createTypeRule("string", (value) => typeof value === "string", "string")],
  ["number", createTypeRule("number", Number.isFinite, "number")],
  ["integer", createTypeRule("integer", Number.isInteger, "integer")],
  ["boolean", createTypeRule("boolean", (value) => typeof value === "boolean", "boolean")],
  ["null", createTypeRule("null", (value) => value === null)],
  ["array", createTypeRule("array", Array.isArray)],
  ["object", createTypeRule("object", isObject)],
]);

/** Compiles the keyword `type`. */
export function compileTypes(types: readonly string[]): Rule {
  const rules = types.map((type) => typeRules.get(type)).filter((rule) => rule !== undefined);
  const [only] = rules;
  if (only !== undefined && rules.length === 1) return only;
  const checks = rules.map((rule) => rule.check);
  return createTypeRule(types.join(" or "), (value) => somePasses(checks, value));
}

function somePasses(checks: readonly Check[], value: unknown): boolean {
  for (const check of checks) if (check(value)) return true;
  return false;
}

function createTypeRule(name: string, check: Check, kind?: Kind): Rule {
  return createRule(
    check,
    (value, pointer, report) => {
      if (!check(value)) report.addType(pointer, name);
    },
    kind,
  );
}
