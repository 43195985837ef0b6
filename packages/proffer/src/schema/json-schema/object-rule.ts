import { isObject, type JsonObject } from "../../protocol/messages.ts";
import { matches, type Pattern } from "./pattern.ts";
import { allOf, anything, type Check, createRule, type Explain, type Kind, nothing, type Rule } from "./rule.ts";
import { charge, childPointer, countOf, NAME_COST, Report, run } from "./run.ts";
import type { JsonSchemaObject } from "./types.ts";

/** The rules of the subschemas of the object keywords. */
export interface ObjectParts {
  readonly properties: ReadonlyMap<string, Rule>;
  readonly patterns: readonly (Pattern & { readonly rule: Rule })[];
  readonly additional: Rule;
}

/** A property that the schema names. The slots form a linked list in the order of the schema. */
interface Slot {
  readonly name: string;
  readonly kind: Kind;
  readonly check: Check;
  readonly explain: Explain;
  readonly required: 0 | 1;
  next: Slot | undefined;
}

/**
 * Compiles `properties`, `patternProperties`, `additionalProperties` and `required`. `allowOthers` is the result for
 * values of other types.
 *
 * The check iterates once over the properties of the value with `for…in`, which allocates no array of names. Values
 * usually have the order of the schema, so each name is first compared with the next name of the schema. Required
 * properties are counted. After a failure the loop only charges for the other names: V8 enumerates all of them before
 * the first iteration, which is most of the work on a large object, and a union does so for each alternative.
 */
export function compileObject(schema: JsonSchemaObject, parts: ObjectParts, allowOthers: boolean): Rule | undefined {
  const required = new Set(schema.required);
  const { properties, patterns, additional } = parts;
  const names = new Set([...properties.keys(), ...required]);
  const isOpen = patterns.length === 0 && additional === anything;
  if (names.size === 0 && isOpen) return undefined;
  const slots = new Map<string, Slot>();
  const first = linkSlots(names, required, parts, slots);
  // Known properties are charged all at once, to save work on the hot path; others are charged one by one.
  const cost = names.size + 1;
  const extra = isOpen ? undefined : createExtraCheck(parts);

  function check(value: unknown): boolean {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return allowOthers;
    run.left -= cost;
    if (run.left < 0) return false;
    // JSON has no inheritance: a result may be an instance of a class.
    const strict = run.strict || Object.getPrototypeOf(value) !== Object.prototype;
    let slot: Slot | undefined = first;
    let missing = required.size;
    let fits = true;
    for (const name in value) {
      if (!fits) {
        run.left -= NAME_COST;
        continue;
      }
      if (strict && !Object.hasOwn(value, name)) continue;
      const item = (value as JsonObject)[name];
      // JSON omits undefined properties, so they are absent.
      if (item === undefined) continue;
      if (slot === undefined || slot.name !== name) slot = slots.get(name);
      if (slot === undefined) {
        run.left -= NAME_COST;
        fits = run.left >= 0 && (extra === undefined || extra(name, item));
        continue;
      }
      missing -= slot.required;
      switch (slot.kind) {
        case "string":
          fits = typeof item === "string";
          break;
        case "number":
          fits = Number.isFinite(item);
          break;
        case "boolean":
          fits = typeof item === "boolean";
          break;
        case "integer":
          fits = Number.isInteger(item);
          break;
        case "any":
          break;
        default:
          fits = slot.check(item);
      }
      slot = slot.next;
    }
    return fits && missing === 0;
  }

  const explain: Explain = (value, pointer, report) => {
    if (!isObject(value)) {
      if (!allowOthers) report.addType(pointer, "object");
      return;
    }
    const all = Object.keys(value);
    if (!charge(cost + NAME_COST * all.length)) return;
    for (const name of required) {
      if (!has(value, name)) report.add(pointer, `missing required property ${JSON.stringify(name)}`);
    }
    for (const name of all) {
      const item = value[name];
      if (item === undefined) continue;
      if (--run.left < 0) return;
      const place = childPointer(pointer, name);
      const slot = slots.get(name);
      if (slot !== undefined) slot.explain(item, place, report);
      else ruleForExtra(name, parts).explain(item, place, report);
    }
  };

  return createRule(check, explain);
}

/** Whether an object has an own property that JSON would keep. */
export function has(value: JsonObject, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

function linkSlots(
  names: ReadonlySet<string>,
  required: ReadonlySet<string>,
  parts: ObjectParts,
  slots: Map<string, Slot>,
): Slot | undefined {
  let next: Slot | undefined;
  for (const name of [...names].reverse()) {
    const declared = parts.properties.get(name);
    const matching = parts.patterns.filter((pattern) => pattern.test(name)).map(({ rule }) => rule);
    const rules = declared === undefined ? matching : [declared, ...matching];
    const { kind, check, explain } = rules.length === 0 ? additionalRule(parts) : allOf(rules);
    next = { name, kind, check, explain, required: required.has(name) ? 1 : 0, next };
    slots.set(name, next);
  }
  return next;
}

function createExtraCheck({ patterns, additional }: ObjectParts): (name: string, value: unknown) => boolean {
  if (patterns.length === 0) return (_name, value) => additional.check(value);
  return (name, value) => {
    let matched = false;
    for (const pattern of patterns) {
      if (!matches(pattern, name)) continue;
      matched = true;
      if (!pattern.rule.check(value)) return false;
    }
    return matched || additional.check(value);
  };
}

function ruleForExtra(name: string, parts: ObjectParts): Rule {
  const matching = parts.patterns.filter((pattern) => matches(pattern, name));
  return matching.length === 0 ? additionalRule(parts) : allOf(matching.map(({ rule }) => rule));
}

const unknownProperty: Rule = createRule(nothing.check, (_value, pointer, report) => {
  report.add(pointer, "unknown property");
});

function additionalRule({ additional }: ObjectParts): Rule {
  return additional === nothing ? unknownProperty : additional;
}

/** Compiles `minProperties` and `maxProperties`. */
export function compileSize(schema: JsonSchemaObject): Rule {
  const { minProperties: least = 0, maxProperties: most = Number.POSITIVE_INFINITY } = schema;
  function check(value: unknown): boolean {
    if (!isObject(value)) return true;
    const count = countProperties(value);
    return count >= least && count <= most;
  }
  return createRule(check, (value, pointer, report) => {
    if (!isObject(value)) return;
    const count = countProperties(value);
    if (count < least)
      report.add(pointer, `must have at least ${countOf(least, "property", "properties")} (has ${count})`);
    if (count > most)
      report.add(pointer, `must have at most ${countOf(most, "property", "properties")} (has ${count})`);
  });
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

function countProperties(value: JsonObject): number {
  let count = 0;
  if (run.left < 0) return count;
  for (const name in value) if (has(value, name)) count++;
  run.left -= NAME_COST * count;
  return count;
}
