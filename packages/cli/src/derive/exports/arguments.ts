import type { ParamScopes } from "proffer/derived";
import ts from "typescript";
import { docOfMember } from "../comments/find-comment.ts";
import type { NamedDoc } from "../comments/function-comment.ts";
import { ARGUMENT_NAME, SCOPES } from "../comments/grammars.ts";
import type { DocTag } from "../comments/parse-comment.ts";
import type { DerivedSchema } from "../model/json-schema.ts";
import type { Conversion, Converted, Problem } from "../types/conversion.ts";
import { applyNestedDoc, reportLostConstraints } from "../types/nested-params.ts";
import { constantOf } from "../types/primitive.ts";
import { isJavaScript } from "../types/type-node.ts";
import type { Analysis } from "./analysis.ts";
import type { Candidate } from "./exports.ts";
import { headOf, keyOf, type Parameter, patternOf } from "./parameters.ts";

/** The object of all arguments before `assemble`. */
export interface Draft extends Converted {
  /** The names of the arguments by position. */
  names: string[];
  /** The names of the properties in the code, by the names in the schema that differ. */
  ownNames?: Record<string, string>;
  places: Map<string, ts.Node>;
  isBroken: boolean;
}

/** Uses the properties of the only parameter, a destructured object, as the arguments. */
export function flatten(
  analysis: Analysis,
  candidate: Candidate,
  parameter: Parameter,
  docs: NamedDoc[],
  scopes: ArgumentScopes,
): Draft {
  const { inward, checker } = analysis;
  const node = parameter.declaration ?? candidate.node;
  const subject = `the parameter of '${candidate.name}'`;
  const { schema, plan, problems } = inward.collect(subject, node, () => {
    reportLostConstraints(inward, parameter.node);
    const type = checker.getNonNullableType(parameter.type);
    const whole = inward.inline(inward.convert(type, parameter.node));
    if (whole.schema.anyOf ?? whole.schema.oneOf) {
      inward.report(
        "PF1007",
        `${subject} is a union, which cannot be the list of arguments. Name the parameter instead of destructuring it.`,
      );
    }
    // The tool has its own description, so the one of the type is dropped.
    const { description: _, ...described } = whole.schema;
    let documented: DerivedSchema = described;
    for (const doc of propertyDocs(described, docs)) {
      documented = applyNestedDoc(inward, documented, doc, isJavaScript(node));
    }
    return { ...whole, schema: withDefaults(inward, documented, patternOf(parameter)) };
  });
  const names = createArgumentNames(Object.keys(schema.properties ?? {}));
  const shown = readPropertyTags(analysis, parameter, names, scopes, propertyDocs(schema, docs));
  const isBroken = analysis.reportAll(scopes.unsolved(names.unsolved(problems)), node);
  const renamed = renameProperties({ schema, ...(plan && { plan }) }, shown);
  const places = new Map(Object.keys(renamed.schema.properties ?? {}).map((name) => [name, node] as const));
  const ownNames = Object.fromEntries([...shown].map(([own, name]) => [name, own]));
  return { ...renamed, names: [], ...(shown.size > 0 && { ownNames }), places, isBroken };
}

/**
 * Returns the names that `@as` gives to properties, in their own comments or after `@param options.limit`, and adds the
 * scopes that the same comments require.
 */
function readPropertyTags(
  analysis: Analysis,
  { type }: Parameter,
  names: ArgumentNames,
  scopes: ArgumentScopes,
  docs: NamedDoc[],
): Map<string, string> {
  const shown = new Map<string, string>();
  for (const property of analysis.checker.getPropertiesOfType(analysis.checker.getNonNullableType(type))) {
    const own = property.name;
    const tagged = docs.filter(({ name }) => name.slice(name.indexOf(".") + 1) === own);
    const tags = [...tagged, docOfMember(analysis, property)].flatMap((doc) => doc?.tags ?? []);
    const name = names.shown(own, tags);
    scopes.add(name, tags);
    if (name !== own) shown.set(own, name);
  }
  return shown;
}

/**
 * Returns the tags of the properties, each named `parameter.property`. Authors write both `@param options.limit` and
 * `@param limit`; a name that is not a property is the name of the parameter.
 */
function propertyDocs({ properties = {} }: DerivedSchema, docs: NamedDoc[]): NamedDoc[] {
  const parameter = docs.map(({ name }) => headOf(name)).find((name) => !Object.hasOwn(properties, name));
  return docs
    .filter(({ name }) => name !== parameter)
    .map((doc) => (doc.name.startsWith(`${parameter}.`) ? doc : { ...doc, name: `${parameter ?? ""}.${doc.name}` }));
}

/** Adds the default values of a binding pattern, and of the patterns in it. */
export function withDefaults(
  conversion: Conversion,
  schema: DerivedSchema,
  pattern: ts.ObjectBindingPattern | undefined,
): DerivedSchema {
  const defaults = pattern?.elements.filter(({ initializer, name }) => initializer || ts.isObjectBindingPattern(name));
  if (!defaults?.length) return schema;
  const whole = conversion.inline({ schema }).schema;
  const properties = new Map(Object.entries(whole.properties ?? {}));
  for (const element of defaults) {
    const { name, initializer } = element;
    const key = keyOf(element);
    const property = key === undefined ? undefined : properties.get(key);
    if (key === undefined || property === undefined) continue;
    const nested = ts.isObjectBindingPattern(name) ? withDefaults(conversion, property, name) : property;
    const value = initializer && constantOf(conversion.checker, initializer);
    properties.set(key, value === undefined ? nested : { ...nested, default: value });
  }
  return whole.properties ? { ...whole, properties: Object.fromEntries(properties) } : schema;
}

export type ArgumentNames = ReturnType<typeof createArgumentNames>;

/** Creates the names of arguments that the tag `@as` changes. `own` are the names in the code. */
export function createArgumentNames(own: Iterable<string>) {
  const used = new Set<unknown>();
  const taken = new Set(own);
  return {
    /** Returns the name of an argument in the schema: the one of its tag, unless another argument has that name. */
    shown(name: string, tags: readonly DocTag[]): string {
      const tag = tags.find((each) => each.name === "as");
      const parsed = tag && ARGUMENT_NAME.parse(tag.text, {});
      if (typeof parsed !== "object" || !("value" in parsed) || taken.has(parsed.value)) return name;
      taken.add(parsed.value);
      used.add(tag?.place);
      return parsed.value;
    },
    /** Returns the problems without the reports of tags that have an effect here. */
    unsolved(problems: readonly Problem[]): Problem[] {
      return problems.filter(({ code, node }) => code !== "PF2031" || !used.has(node));
    },
  };
}

/** Returns an object type whose properties have other names. `names` maps the names in the code to those in the schema. */
function renameProperties({ schema, plan }: Converted, names: ReadonlyMap<string, string>): Converted {
  const shown = (name: string) => names.get(name) ?? name;
  const { properties, required } = schema;
  const hasNames = plan?.kind === "object" && plan.properties;
  const renamed = hasNames ? { ...plan, properties: renameKeys(plan.properties ?? {}, shown) } : plan;
  return {
    schema: {
      ...schema,
      ...(properties && { properties: renameKeys(properties, shown) }),
      ...(required && { required: required.map(shown) }),
    },
    ...(renamed && { plan: renamed }),
  };
}

function renameKeys<Value>(map: { readonly [key: string]: Value }, shown: (name: string) => string) {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [shown(key), value]));
}

export type ArgumentScopes = ReturnType<typeof createArgumentScopes>;

/** Creates the scopes that the tags `@scope` of arguments require. */
export function createArgumentScopes(params: readonly NamedDoc[]) {
  const isScopeTag = ({ name }: DocTag) => name === "scope";
  const scopes = new Map<string, readonly string[]>();
  /** The tags after the `@param` tags of the function. */
  const given = params.flatMap(({ tags }) => tags).filter(isScopeTag);
  const used = new Set<unknown>();
  return {
    /** Adds the scopes of an argument; `name` is the one in the schema. */
    add(name: string, tags: readonly DocTag[]): void {
      for (const { text, place } of tags.filter(isScopeTag)) {
        used.add(place);
        const parsed = SCOPES.parse(text, {});
        if (typeof parsed !== "object" || !("value" in parsed)) continue;
        scopes.set(name, [...new Set([...(scopes.get(name) ?? []), ...parsed.value])]);
      }
    },
    /** Returns the problems without the reports of tags that have an effect, or that `unused` returns. */
    unsolved(problems: readonly Problem[]): Problem[] {
      const known = new Set([...used, ...given.map(({ place }) => place)]);
      return problems.filter(({ code, node }) => code !== "PF1241" || !known.has(node));
    },
    /** Returns the tags after a `@param` that is about no argument, or only about a part of one. */
    unused: () => given.filter(({ place }) => !used.has(place)),
    /** Returns the scopes by argument; undefined if there are none. */
    byArgument: (): ParamScopes | undefined => (scopes.size === 0 ? undefined : Object.fromEntries(scopes)),
  };
}
