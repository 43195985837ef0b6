import { escapeToken } from "../../support/json-pointer.ts";
import { type ArrayParts, compileArray } from "./array-rule.ts";
import { createEqualityTest } from "./equality.ts";
import { isAnnotation } from "./keywords.ts";
import {
  compileDependentRequired,
  compileDependentSchemas,
  compileNames,
  compileObject,
  compileSize,
  type ObjectParts,
} from "./object-rule.ts";
import { allOf, anything, compileTypes, createLeaf, createRule, nothing, type Rule } from "./rule.ts";
import { MAX_WORK, Report, run } from "./run.ts";
import { compileNumber, compileString } from "./scalar-rules.ts";
import { indexSchema, type SchemaIndex } from "./schema-index.ts";
import type { CompiledSchema, JsonSchema, JsonSchemaObject, SchemaIssue } from "./types.ts";
import {
  compileAnyOf,
  compileCondition,
  compileNot,
  compileOneOf,
  compileTagged,
  describeChoice,
  findDiscriminator,
} from "./union-rule.ts";

const TOO_COMPLEX: SchemaIssue = {
  pointer: "",
  message: `is too complex to validate: it takes more than ${MAX_WORK} steps. Simplify the value or the schema`,
};

/**
 * Compiles a JSON Schema 2020-12 into closures, on first use; no code is generated.
 *
 * Formats are asserted, numbers must be finite, and properties whose value is `undefined` are absent, as in JSON. A
 * value that takes too much work to validate, or is nested too deep for the stack, is invalid.
 * @throws {UsageError} `bad_schema`, `unsupported_keyword` or `unsafe_pattern`
 */
export function compileJsonSchema(schema: JsonSchema): CompiledSchema {
  const ruleAt = compileRules(indexSchema(schema));
  return {
    check: (value) => checkRoot(ruleAt(""), value),
    issues: (value) => explainRoot(ruleAt(""), value),
  };
}

function checkRoot(root: Rule, value: unknown): boolean {
  try {
    startRun();
    return root.check(value) && run.left >= 0;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function explainRoot(root: Rule, value: unknown): SchemaIssue[] {
  const report = new Report("");
  try {
    startRun();
    root.explain(value, "", report);
  } catch (error) {
    if (error instanceof RangeError) return [{ pointer: "", message: "is nested too deep to validate" }];
    throw error;
  }
  if (run.left >= 0) return report.list();
  // Looking for issues takes more work than the check.
  if (report.count === 0 && checkRoot(root, value)) return [];
  // The issues found within the limit are real; the rest of the value has not been examined.
  return [...report.issues, TOO_COMPLEX];
}

/** Returns a function that returns the rule of the subschema at a pointer, which is compiled on first use. */
export function compileRules(index: SchemaIndex): (pointer: string) => Rule {
  const rules = new Map<string, Rule>();
  const links: (() => void)[] = [];

  function ruleAt(pointer: string): Rule {
    const known = rules.get(pointer);
    if (known !== undefined) return known;
    const schema = index.schemas.get(pointer) ?? true;
    const rule =
      typeof schema === "boolean"
        ? schema
          ? anything
          : nothing
        : compileSchema({ schema, pointer, index, ruleAt, referTo });
    rules.set(pointer, rule);
    return rule;
  }

  /** Returns a rule that forwards to its target. The target is compiled later, so that schemas can be recursive. */
  function referTo(pointer: string): Rule {
    let target = nothing;
    links.push(() => {
      target = ruleAt(pointer);
    });
    return createRule(
      (value) => --run.left >= 0 && target.check(value),
      (value, place, report) => {
        if (--run.left >= 0) target.explain(value, place, report);
      },
    );
  }

  return (pointer) => {
    const rule = ruleAt(pointer);
    // The list grows while the targets are compiled.
    while (links.length > 0) links.pop()?.();
    return rule;
  };
}

/** A schema object to compile, its pointer, and access to the rules of other schemas. */
interface SchemaSite {
  readonly schema: JsonSchemaObject;
  readonly pointer: string;
  readonly index: SchemaIndex;
  /** Returns the rule of the subschema at a pointer. */
  ruleAt(pointer: string): Rule;
  /** Returns a rule that forwards to the rule at a pointer, which may not be compiled yet. */
  referTo(pointer: string): Rule;
}

/** Compiles one schema object. */
function compileSchema(site: SchemaSite): Rule {
  const { schema, pointer, index } = site;
  // Most schemas have only a type. A shortcut for them keeps the start of a server with many tools fast.
  const plainType = Object.keys(schema).every((keyword) => keyword === "type" || isAnnotation(keyword));
  if (plainType) return schema.type === undefined ? anything : compileTypes(typesOf(schema));
  return allOf([
    ...compileTyped(site),
    ...compileObjectLimits(site),
    ...compileUnions(site),
    ...(schema.$ref === undefined ? [] : [site.referTo(index.resolve(schema.$ref, pointer))]),
  ]);
}

const NUMBER = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const STRING = ["minLength", "maxLength", "pattern", "format"];
const ARRAY = ["items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"];
const OBJECT = ["properties", "required", "additionalProperties", "patternProperties"];

/** Compiles `type`, `enum`, `const` and the keywords that apply to one type. */
function compileTyped(site: SchemaSite): Rule[] {
  const { schema, pointer, index } = site;
  const types = schema.type === undefined ? undefined : typesOf(schema);
  const only = types?.length === 1 ? types[0] : undefined;
  const isInteger = only === "integer";
  const number = hasAny(schema, NUMBER) ? compileNumber(schema, isInteger, only !== "number" && !isInteger) : undefined;
  const string = hasAny(schema, STRING)
    ? compileString(schema, index.patterns.get(`${pointer}/pattern`), only !== "string")
    : undefined;
  const array = hasAny(schema, ARRAY) ? compileArray(schema, arrayParts(site), only !== "array") : undefined;
  const object = hasAny(schema, OBJECT) ? compileObject(schema, objectParts(site), only !== "object") : undefined;
  const values = schema.enum === undefined ? [] : [schema.enum];
  if (schema.const !== undefined) values.push([schema.const]);
  const equal = values.map((list) => {
    const choice = describeChoice(list);
    return createLeaf(createEqualityTest(list), () => choice);
  });
  const rules = [...equal, number, string, array, object].filter((rule) => rule !== undefined);
  if (types === undefined) return rules;
  const typed = compileTypes(types);
  const byType: { readonly [type: string]: Rule | undefined } = { number, integer: number, string, array, object };
  const isImplied = byType[only ?? ""] !== undefined || values.some((list) => list.every(typed.check));
  return isImplied ? rules : [typed, ...rules];
}

function typesOf({ type = [] }: JsonSchemaObject): readonly string[] {
  return typeof type === "string" ? [type] : type;
}

function hasAny(schema: JsonSchemaObject, keywords: readonly string[]): boolean {
  return keywords.some((keyword) => schema[keyword] !== undefined);
}

function arrayParts(site: SchemaSite): ArrayParts {
  const { schema } = site;
  return {
    prefix: [...childRules(site, "prefixItems").values()],
    items: schema.items === undefined ? anything : childRule(site, "items"),
    contains: schema.contains === undefined ? undefined : childRule(site, "contains"),
  };
}

function objectParts(site: SchemaSite): ObjectParts {
  const { schema } = site;
  return {
    properties: childRules(site, "properties"),
    patterns: [...childRules(site, "patternProperties")].flatMap(([source, rule]) => {
      const pattern = site.index.patterns.get(`${site.pointer}/patternProperties/${escapeToken(source)}`);
      return pattern === undefined ? [] : [{ ...pattern, rule }];
    }),
    additional: schema.additionalProperties === undefined ? anything : childRule(site, "additionalProperties"),
  };
}

function compileObjectLimits(site: SchemaSite): Rule[] {
  const { schema } = site;
  const rules: Rule[] = [];
  if ((schema.minProperties ?? schema.maxProperties) !== undefined) rules.push(compileSize(schema));
  if (schema.propertyNames !== undefined) rules.push(compileNames(childRule(site, "propertyNames")));
  if (schema.dependentRequired !== undefined) {
    rules.push(compileDependentRequired(new Map(Object.entries(schema.dependentRequired))));
  }
  if (schema.dependentSchemas !== undefined) {
    rules.push(compileDependentSchemas(childRules(site, "dependentSchemas")));
  }
  return rules;
}

function compileUnions(site: SchemaSite): Rule[] {
  const { schema } = site;
  const rules = schema.allOf === undefined ? [] : [...childRules(site, "allOf").values()];
  if (schema.anyOf !== undefined) rules.push(compileAlternatives(site, "anyOf"));
  if (schema.oneOf !== undefined) rules.push(compileAlternatives(site, "oneOf"));
  if (schema.not !== undefined) rules.push(compileNot(childRule(site, "not")));
  if (schema.if !== undefined) {
    const yes = schema.then === undefined ? anything : childRule(site, "then");
    const no = schema.else === undefined ? anything : childRule(site, "else");
    rules.push(compileCondition(childRule(site, "if"), yes, no));
  }
  return rules;
}

function compileAlternatives(site: SchemaSite, keyword: "anyOf" | "oneOf"): Rule {
  const rules = [...childRules(site, keyword).values()];
  const tagged = findDiscriminator(
    rules.map((_rule, i) => `${site.pointer}/${keyword}/${i}`),
    site.index,
  );
  if (tagged === undefined) return keyword === "anyOf" ? compileAnyOf(rules) : compileOneOf(rules);
  const alternatives = [...tagged.values].map(([value, i]) => [value, rules[i] ?? anything] as const);
  return compileTagged(tagged.name, new Map(alternatives));
}

function childRule({ pointer, ruleAt }: SchemaSite, keyword: string): Rule {
  return ruleAt(`${pointer}/${keyword}`);
}

/** Returns the rules of a keyword with a list or map of schemas, by position or name. */
function childRules(site: SchemaSite, keyword: string): Map<string, Rule> {
  const names = Object.keys(site.schema[keyword] ?? {});
  return new Map(names.map((name) => [name, childRule(site, `${keyword}/${escapeToken(name)}`)]));
}

/** Starts a validation. If `Object.prototype` is polluted, every `for…in` includes its names, so they are skipped. */
export function startRun(): void {
  run.left = MAX_WORK;
  run.strict = isPolluted();
}

function isPolluted(): boolean {
  for (const _name in Object.prototype) return true;
  return false;
}
