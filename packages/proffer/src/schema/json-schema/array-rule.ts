import { findDuplicate } from "./equality.ts";
import { type Check, createRule, type Explain, type Kind, nothing, type Rule } from "./rule.ts";
import { childPointer, countOf, run } from "./run.ts";
import type { JsonSchemaObject } from "./types.ts";

/** The rules of the subschemas of the array keywords. */
export interface ArrayParts {
  readonly prefix: readonly Rule[];
  readonly items: Rule;
  readonly contains: Rule | undefined;
}

/** Compiles the array keywords. `allowOthers` is the result for values of other types. */
export function compileArray(schema: JsonSchemaObject, parts: ArrayParts, allowOthers: boolean): Rule {
  const { minItems = 0, uniqueItems = false, minContains = 1, maxContains = Number.POSITIVE_INFINITY } = schema;
  const { prefix, items, contains } = parts;
  const closed = items === nothing ? prefix.length : Number.POSITIVE_INFINITY;
  const maxItems = Math.min(schema.maxItems ?? Number.POSITIVE_INFINITY, closed);
  const { kind, check: checkItem } = items;

  function check(value: unknown): boolean {
    if (!Array.isArray(value)) return allowOthers;
    const length = value.length;
    if (length < minItems || length > maxItems) return false;
    run.left -= length;
    if (run.left < 0) return false;
    for (let i = 0; i < prefix.length && i < length; i++) if (!prefix[i]?.check(value[i])) return false;
    if (!checkItems(value, prefix.length, kind, checkItem)) return false;
    if (contains !== undefined) {
      const count = countMatches(value, contains.check);
      if (count < minContains || count > maxContains || run.left < 0) return false;
    }
    return !uniqueItems || findDuplicate(value) === undefined;
  }

  const explain: Explain = (value, pointer, report) => {
    if (!Array.isArray(value)) {
      if (!allowOthers) report.addType(pointer, "array");
      return;
    }
    const length = value.length;
    run.left -= length;
    if (run.left < 0) return;
    if (length < minItems) report.add(pointer, `must have at least ${countOf(minItems, "item")} (has ${length})`);
    if (length > maxItems) report.add(pointer, `must have at most ${countOf(maxItems, "item")} (has ${length})`);
    for (let i = 0; i < length && i < maxItems && run.left >= 0; i++) {
      (prefix[i] ?? items).explain(value[i], childPointer(pointer, i), report);
    }
    if (contains !== undefined) {
      const count = countMatches(value, contains.check);
      const matching = `matching "contains" (has ${count})`;
      if (count < minContains) report.add(pointer, `must have at least ${countOf(minContains, "item")} ${matching}`);
      if (count > maxContains) report.add(pointer, `must have at most ${countOf(maxContains, "item")} ${matching}`);
    }
    const [first, second] = (uniqueItems && findDuplicate(value)) || [];
    if (second !== undefined)
      report.add(pointer, `must not contain duplicate items (items ${first} and ${second} are equal)`);
  };

  return createRule(check, explain);
}

/** Checks items from `start`. The most common kinds have separate loops without a function call per item. */
function checkItems(items: readonly unknown[], start: number, kind: Kind, check: Check): boolean {
  switch (kind) {
    case "any":
      return true;
    case "string":
      for (let i = start; i < items.length; i++) if (typeof items[i] !== "string") return false;
      return true;
    case "number":
      for (let i = start; i < items.length; i++) if (!Number.isFinite(items[i])) return false;
      return true;
    default:
      for (let i = start; i < items.length; i++) if (!check(items[i])) return false;
      return true;
  }
}

function countMatches(items: readonly unknown[], check: Check): number {
  let count = 0;
  run.left -= items.length;
  for (const item of items) {
    if (run.left < 0) break;
    if (check(item)) count++;
  }
  return count;
}
