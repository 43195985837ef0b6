import { isObject, type JsonObject } from "../../protocol/messages.ts";
import { has } from "./object-rule.ts";
import { childPointer, countOf, Report } from "./report.ts";
import { createRule, type Rule } from "./rule.ts";
import { NAME_COST, run } from "./run.ts";
import type { JsonSchemaObject } from "./types.ts";

/** Compiles `minProperties` and `maxProperties`. */
export function compileSize({ minProperties, maxProperties }: JsonSchemaObject): Rule[] {
  if (minProperties === undefined && maxProperties === undefined) return [];
  const least = minProperties ?? 0;
  const most = maxProperties ?? Number.POSITIVE_INFINITY;
  function check(value: unknown): boolean {
    if (!isObject(value)) return true;
    const count = countProperties(value);
    return count >= least && count <= most;
  }
  const rule = createRule(check, (value, pointer, report) => {
    if (!isObject(value)) return;
    const count = countProperties(value);
    if (count < least) report.add(pointer, `must have at least ${propertyCount(least)} (has ${count})`);
    if (count > most) report.add(pointer, `must have at most ${propertyCount(most)} (has ${count})`);
  });
  return [rule];
}

/** Compiles `propertyNames`. */
export function compileNames(names: Rule): Rule {
  function check(value: unknown): boolean {
    if (!isObject(value)) return true;
    let fits = true;
    for (const name in value) {
      run.left -= NAME_COST;
      // After a failure the loop charges for the other names, like that of `compileObject`.
      if (fits) fits = run.left >= 0 && (names.check(name) || !has(value, name));
    }
    return fits;
  }
  return createRule(check, (value, pointer, report) => {
    if (!isObject(value)) return;
    const all = Object.keys(value);
    run.left -= NAME_COST * all.length;
    for (const name of all) {
      if (run.left < 0) return;
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
  return compileDependentSchemas(new Map([...dependents].map(([name, names]) => [name, requireAll(name, names)])));
}

/** Compiles `dependentSchemas`. */
export function compileDependentSchemas(dependents: ReadonlyMap<string, Rule>): Rule {
  function check(value: unknown): boolean {
    if (!isObject(value)) return true;
    for (const [name, rule] of dependents) {
      if (--run.left < 0 || (has(value, name) && !rule.check(value))) return false;
    }
    return true;
  }
  return createRule(check, (value, pointer, report) => {
    if (!isObject(value)) return;
    for (const [name, rule] of dependents)
      if (--run.left >= 0 && has(value, name)) rule.explain(value, pointer, report);
  });
}

/** Requires `names` in an object that has the property `name`. */
function requireAll(name: string, names: readonly string[]): Rule {
  function check(value: unknown): boolean {
    for (const other of names) if (--run.left < 0 || !has(value as JsonObject, other)) return false;
    return true;
  }
  return createRule(check, (value, pointer, report) => {
    for (const other of names) {
      if (--run.left < 0 || has(value as JsonObject, other)) continue;
      const [missing, present] = [JSON.stringify(other), JSON.stringify(name)];
      report.add(pointer, `missing property ${missing}, which is required if ${present} is present`);
    }
  });
}

function propertyCount(count: number): string {
  return countOf(count, "property", "properties");
}

function countProperties(value: JsonObject): number {
  let count = 0;
  if (run.left < 0) return count;
  for (const name in value) if (has(value, name)) count++;
  run.left -= NAME_COST * count;
  return count;
}
