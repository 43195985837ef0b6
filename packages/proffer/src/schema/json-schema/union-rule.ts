import { isObject } from "../../protocol/messages.ts";
import { toCanonical } from "./equality.ts";
import { has } from "./object-rule.ts";
import { childPointer, Report } from "./report.ts";
import { type Check, countPassing, createLeaf, createRule, type Explain, type Rule } from "./rule.ts";

/** Makes the rule of `anyOf`. */
export function compileAnyOf(rules: readonly Rule[]): Rule {
  const checks = rules.map((rule) => rule.check);
  const check: Check = (value) => countPassing(checks, value, 1) === 1;
  return createRule(check, (value, pointer, report) => {
    if (!check(value)) explainNearest(rules, value, pointer, report);
  });
}

/** Makes the rule of `oneOf`. */
export function compileOneOf(rules: readonly Rule[]): Rule {
  const checks = rules.map((rule) => rule.check);
  return createRule(
    (value) => countPassing(checks, value, 2) === 1,
    (value, pointer, report) => {
      const count = countPassing(checks, value, Number.POSITIVE_INFINITY);
      if (count === 0) explainNearest(rules, value, pointer, report);
      if (count > 1) report.add(pointer, `must match exactly one alternative (matched ${count})`);
    },
  );
}

/** Makes the rule of an `anyOf` or `oneOf` whose alternatives are objects that one property with constant values tells apart. */
export function compileTagged(tag: string, alternatives: ReadonlyMap<unknown, Rule>): Rule {
  function check(value: unknown): boolean {
    if (!isObject(value) || !Object.hasOwn(value, tag)) return false;
    const rule = alternatives.get(value[tag]);
    return rule?.check(value) === true;
  }
  const allowed = [...alternatives.keys()];
  const explain: Explain = (value, pointer, report) => {
    if (!isObject(value)) return report.addType(pointer, "object");
    if (!has(value, tag)) return report.add(pointer, `missing required property ${JSON.stringify(tag)}`);
    const rule = alternatives.get(value[tag]);
    if (rule === undefined) return report.add(childPointer(pointer, tag), describeChoice(allowed));
    rule.explain(value, pointer, report);
  };
  return createRule(check, explain);
}

/** Makes the rule of `not`. */
export function compileNot(rule: Rule): Rule {
  return createLeaf(
    (value) => !rule.check(value),
    () => `must not match what "not" excludes`,
  );
}

/** Makes the rule of `if`, `then` and `else`. */
export function compileCondition(condition: Rule, yes: Rule, no: Rule): Rule {
  return createRule(
    (value) => (condition.check(value) ? yes : no).check(value),
    (value, pointer, report) => (condition.check(value) ? yes : no).explain(value, pointer, report),
  );
}

/** Says which values a place admits; of a long list, only the beginning. */
export function describeChoice(values: readonly unknown[]): string {
  if (values.length === 0) return "is not allowed";
  const shown = values.slice(0, 20).map(toCanonical);
  const rest = values.length > shown.length ? ` (or ${values.length - shown.length} others)` : "";
  return values.length === 1 ? `must be ${shown[0]}` : `must be one of ${shown.join(", ")}${rest}`;
}

/** Reports what is wrong with the alternative nearest to the value: of those with a fitting type, the one with the fewest issues. */
function explainNearest(rules: readonly Rule[], value: unknown, pointer: string, report: Report): void {
  const types = new Set<string>();
  let nearest = 0;
  let best: Report | undefined;
  for (const [index, rule] of rules.entries()) {
    const found = new Report(pointer);
    rule.explain(value, pointer, found);
    if (found.expectedType !== undefined) types.add(found.expectedType);
    else if (best === undefined || found.count < best.count) {
      best = found;
      nearest = index + 1;
    }
  }
  if (best === undefined) {
    report.addType(pointer, [...types].join(" or "));
    return;
  }
  report.add(pointer, `matches none of ${rules.length} alternatives; number ${nearest} is nearest, with these issues:`);
  report.merge(best);
}
