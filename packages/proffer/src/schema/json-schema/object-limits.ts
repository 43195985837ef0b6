import { isObject, type JsonObject } from "../../protocol/messages.ts";
import { has } from "./object-rule.ts";
import { childPointer, countOf, Report } from "./report.ts";
import { createLeaf, createRule, type Rule } from "./rule.ts";
import { run } from "./run.ts";
import type { JsonSchemaObject } from "./types.ts";

/** Compiles `minProperties` and `maxProperties`. */
export function compileSize({ minProperties, maxProperties }: JsonSchemaObject): Rule[] {
  const rules: Rule[] = [];
  if (minProperties !== undefined) {
    const minimum = countOf(minProperties, "property", "properties");
    const message = (value: unknown) => `must have at least ${minimum} (has ${countProperties(value)})`;
    rules.push(createLeaf((value) => !isObject(value) || countProperties(value) >= minProperties, message));
  }
  if (maxProperties !== undefined) {
    const maximum = countOf(maxProperties, "property", "properties");
    const message = (value: unknown) => `must have at most ${maximum} (has ${countProperties(value)})`;
    rules.push(createLeaf((value) => !isObject(value) || countProperties(value) <= maxProperties, message));
  }
  return rules;
}

/** Compiles `propertyNames`. */
export function compileNames(names: Rule): Rule {
  function check(value: unknown): boolean {
    if (!isObject(value)) return true;
    for (const name in value) {
      if (--run.left < 0) return false;
      if (!names.check(name) && has(value, name)) return false;
    }
    return true;
  }
  return createRule(check, (value, pointer, report) => {
    if (!isObject(value)) return;
    for (const name of Object.keys(value)) {
      if (--run.left < 0) return;
      if (!has(value, name)) continue;
      const place = childPointer(pointer, name);
      const found = new Report(place);
      names.explain(name, place, found);
      report.merge(found, "the property name ");
    }
  });
}

/** Compiles `dependentRequired`. */
export function compileDependentRequired(dependents: ReadonlyMap<string, readonly string[]>): Rule {
  function check(value: unknown): boolean {
    if (!isObject(value)) return true;
    for (const [name, required] of dependents) {
      if (has(value, name) && !hasEvery(value, required)) return false;
    }
    return true;
  }
  return createRule(check, (value, pointer, report) => {
    if (!isObject(value)) return;
    for (const [name, required] of dependents) {
      if (!has(value, name)) continue;
      for (const other of required) {
        if (has(value, other)) continue;
        const [missing, present] = [JSON.stringify(other), JSON.stringify(name)];
        report.add(pointer, `missing property ${missing}, which is required if ${present} is present`);
      }
    }
  });
}

/** Compiles `dependentSchemas`. */
export function compileDependentSchemas(dependents: ReadonlyMap<string, Rule>): Rule {
  function check(value: unknown): boolean {
    if (!isObject(value)) return true;
    for (const [name, rule] of dependents) {
      if (has(value, name) && !rule.check(value)) return false;
    }
    return true;
  }
  return createRule(check, (value, pointer, report) => {
    if (!isObject(value)) return;
    for (const [name, rule] of dependents) if (has(value, name)) rule.explain(value, pointer, report);
  });
}

function countProperties(value: unknown): number {
  let count = 0;
  for (const name in value as JsonObject) if (has(value as JsonObject, name)) count++;
  run.left -= count;
  return count;
}

function hasEvery(value: JsonObject, names: readonly string[]): boolean {
  for (const name of names) if (!has(value, name)) return false;
  return true;
}
