import { compileArray } from "./array-rule.ts";
import { createEqualityTest } from "./equality.ts";
import { compileNumber } from "./number-rule.ts";
import { compileDependentRequired, compileDependentSchemas, compileNames, compileSize } from "./object-limits.ts";
import { compileObject } from "./object-rule.ts";
import { compilePattern } from "./pattern.ts";
import { escapeToken } from "./report.ts";
import { allOf, anything, createLeaf, type Rule } from "./rule.ts";
import type { SchemaIndex } from "./schema-index.ts";
import { compileString } from "./string-rule.ts";
import { findTag } from "./tag.ts";
import { compileTypes } from "./type-rule.ts";
import type { JsonSchemaObject } from "./types.ts";
import {
  compileAnyOf,
  compileCondition,
  compileNot,
  compileOneOf,
  compileTagged,
  describeChoice,
} from "./union-rule.ts";

/** One schema object to compile, where it stands, and how to get the rules of others. */
export interface SchemaSite {
  readonly schema: JsonSchemaObject;
  readonly pointer: string;
  readonly index: SchemaIndex;
  /** The rule of the subschema at a pointer. */
  ruleAt(pointer: string): Rule;
  /** A rule that stands for the one at a pointer, which may not be compiled yet. */
  referTo(pointer: string): Rule;
}

/** Makes the rule of one schema object. */
export function compileSchema(site: SchemaSite): Rule {
  const { schema, pointer, index } = site;
  return allOf([
    ...compileTyped(site),
    ...compileObjectLimits(site),
    ...compileUnions(site),
    ...(schema.$ref === undefined ? [] : [site.referTo(index.resolve(schema.$ref, pointer))]),
  ]);
}

/** The rules of `type`, `enum`, `const` and the keywords of one type each. */
function compileTyped(site: SchemaSite): Rule[] {
  const { schema, pointer } = site;
  const types = typeof schema.type === "string" ? [schema.type] : schema.type;
  const only = types?.length === 1 ? types[0] : undefined;
  const pattern =
    schema.pattern === undefined ? undefined : compilePattern(schema.pattern, schema, `${pointer}/pattern`);
  const number = compileNumber(schema, only === "integer", only !== "number" && only !== "integer");
  const string = compileString(schema, pattern, only !== "string");
  const array = compileArray(schema, arrayParts(site), only !== "array");
  const object = compileObject(schema, objectParts(site), only !== "object");
  const rules = [...compileValues(schema), number, string, array, object].filter((rule) => rule !== undefined);
  if (types === undefined) return rules;
  const byType = new Map(Object.entries({ number, integer: number, string, array, object }));
  const isImplied = only !== undefined && byType.get(only) !== undefined;
  return isImplied ? rules : [compileTypes(types), ...rules];
}

function compileValues(schema: JsonSchemaObject): Rule[] {
  const lists = [schema.enum, schema.const === undefined ? undefined : [schema.const]];
  return lists
    .filter((values) => values !== undefined)
    .map((values) => createLeaf(createEqualityTest(values), () => describeChoice(values)));
}

function arrayParts(site: SchemaSite) {
  const { schema } = site;
  return {
    prefix: [...childRules(site, "prefixItems").values()],
    items: schema.items === undefined ? anything : childRule(site, "items"),
    contains: schema.contains === undefined ? undefined : childRule(site, "contains"),
  };
}

function objectParts(site: SchemaSite) {
  const { schema, pointer } = site;
  const patterns = [...childRules(site, "patternProperties")].map(([source, rule]) => {
    const place = `${pointer}/patternProperties/${escapeToken(source)}`;
    return { ...compilePattern(source, { unsafePattern: schema.unsafePattern ?? false }, place), rule };
  });
  return {
    properties: childRules(site, "properties"),
    patterns,
    additional: schema.additionalProperties === undefined ? anything : childRule(site, "additionalProperties"),
  };
}

function compileObjectLimits(site: SchemaSite): Rule[] {
  const { schema } = site;
  const rules = compileSize(schema);
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
  const rules = [...childRules(site, "allOf").values()];
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
  const tagged = findTag(
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

/** The rules of a keyword that holds a list or a map of schemas, by position or name. */
function childRules(site: SchemaSite, keyword: string): Map<string, Rule> {
  const names = Object.keys(site.schema[keyword] ?? {});
  return new Map(names.map((name) => [name, childRule(site, `${keyword}/${escapeToken(name)}`)]));
}
