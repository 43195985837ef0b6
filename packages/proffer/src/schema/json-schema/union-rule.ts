import { isObject } from "../../protocol/messages.ts";
import { escapeToken } from "../../support/json-pointer.ts";
import { toCanonical } from "./equality.ts";
import { has } from "./object-rule.ts";
import { type Check, countPassing, createLeaf, createRule, type Explain, type Rule } from "./rule.ts";
import { childPointer, Report, run } from "./run.ts";
import type { SchemaIndex } from "./schema-index.ts";

/** Compiles `anyOf`. */
export function compileAnyOf(rules: readonly Rule[]): Rule {
  const checks = rules.map((rule) => rule.check);
  const check: Check = (value) => countPassing(checks, value, 1) === 1;
  return createRule(check, (value, pointer, report) => {
    if (!check(value)) explainNearest(rules, value, pointer, report);
  });
}

/** Compiles `oneOf`. */
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

/** Compiles an `anyOf` or `oneOf` that is a tagged union: the property `tag` selects the alternative. */
export function compileTagged(tag: string, alternatives: ReadonlyMap<unknown, Rule>): Rule {
  function check(value: unknown): boolean {
    if (!isObject(value) || !Object.hasOwn(value, tag)) return false;
    const rule = alternatives.get(value[tag]);
    return rule?.check(value) === true;
  }
  const choice = describeChoice([...alternatives.keys()]);
  const explain: Explain = (value, pointer, report) => {
    if (!isObject(value)) return report.addType(pointer, "object");
    if (!has(value, tag)) return report.add(pointer, `missing required property ${JSON.stringify(tag)}`);
    const rule = alternatives.get(value[tag]);
    if (rule === undefined) return report.add(childPointer(pointer, tag), choice);
    rule.explain(value, pointer, report);
  };
  return createRule(check, explain);
}

/** Compiles `not`. */
export function compileNot(rule: Rule): Rule {
  return createLeaf(
    (value) => --run.left >= 0 && !rule.check(value),
    () => `must not match the schema in "not"`,
  );
}

/** Compiles `if`, `then` and `else`. */
export function compileCondition(condition: Rule, yes: Rule, no: Rule): Rule {
  return createRule(
    (value) => --run.left >= 0 && (condition.check(value) ? yes : no).check(value),
    (value, pointer, report) => {
      if (--run.left >= 0) (condition.check(value) ? yes : no).explain(value, pointer, report);
    },
  );
}

/** Describes the allowed values; a long list is truncated. Call it once: a value can have many issues. */
export function describeChoice(values: readonly unknown[]): string {
  if (values.length === 0) return "is not allowed";
  const shown = values.slice(0, 20).map(toCanonical);
  const rest = values.length > shown.length ? ` (or ${values.length - shown.length} more)` : "";
  return values.length === 1 ? `must be ${shown[0]}` : `must be one of ${shown.join(", ")}${rest}`;
}

/** Reports the issues of the closest alternative: of those with a matching type, the one with the fewest issues. */
function explainNearest(rules: readonly Rule[], value: unknown, pointer: string, report: Report): void {
  const types = new Set<string>();
  let nearest = 0;
  let best: Report | undefined;
  for (const [index, rule] of rules.entries()) {
    if (run.left < 0) return;
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
  const total = `matches none of the ${rules.length} alternatives`;
  report.add(pointer, `${total}. Alternative ${nearest} is the closest; its issues follow:`);
  report.merge(best);
}

/**
 * Finds the discriminator of a union: a property that every alternative requires, with constant values that no other
 * alternative has. Then at most one alternative can match, so only one is tried, and `anyOf` equals `oneOf`. Returns its
 * name, and the alternative for each of its values.
 */
export function findDiscriminator(
  pointers: readonly string[],
  index: SchemaIndex,
): { readonly name: string; readonly values: ReadonlyMap<unknown, number> } | undefined {
  const places = pointers.map((pointer) => followReferences(pointer, index));
  const [first] = places;
  if (first === undefined || places.length < 2) return undefined;
  for (const name of index.objectAt(first)?.required ?? []) {
    const values = new Map<unknown, number>();
    const isTag = places.every((place, i) => addValues(values, tagValues(place, name, index), i));
    if (isTag) return { name, values };
  }
  return undefined;
}

/** Resolves an alternative that is only a reference. */
function followReferences(pointer: string, index: SchemaIndex): string {
  const schema = index.objectAt(pointer);
  if (schema?.$ref === undefined || schema.type !== undefined) return pointer;
  return followReferences(index.resolve(schema.$ref, pointer), index);
}

function tagValues(pointer: string, name: string, index: SchemaIndex): readonly unknown[] {
  const schema = index.objectAt(pointer);
  if (schema?.type !== "object" || !schema.required?.includes(name)) return [];
  const property = index.objectAt(`${pointer}/properties/${escapeToken(name)}`);
  return property?.const === undefined ? (property?.enum ?? []) : [property.const];
}

function addValues(known: Map<unknown, number>, values: readonly unknown[], alternative: number): boolean {
  for (const value of values) {
    const isComposite = typeof value === "object" && value !== null;
    if (isComposite || known.has(value)) return false;
    known.set(value, alternative);
  }
  return values.length > 0;
}
