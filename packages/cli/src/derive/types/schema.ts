import type { Plan } from "proffer/derived";
import ts from "typescript";
import { documentSymbol } from "../comments/apply-comment.ts";
import { withInteger } from "../comments/tag.ts";
import { type JsonType, withNull } from "../model/json-schema.ts";
import type { Origins } from "../program/origin.ts";
import {
  type Conversion,
  type Converted,
  type Definition,
  type Direction,
  type Problem,
  referenceTo,
  referredName,
  type UnionFacts,
} from "./conversion.ts";
import type { CustomCodecs } from "./custom-codecs.ts";
import { createGrowth, type Instance, instanceName } from "./instances.ts";
import { convertObject } from "./object.ts";
import { anything } from "./outward.ts";
import { convertPrimitive } from "./primitive.ts";
import { createReach, describeSize } from "./schema-size.ts";
import { aliasesOf, asWritten, includesUndefined, isErrorType } from "./type-node.ts";
import { convertUnion } from "./union.ts";
import { describeUnresolved } from "./unresolved.ts";

/** Deeper nesting of arrays, tuples and unions in each other becomes a definition, which is converted later. */
const MAX_NESTING = 50;

/** The state of one conversion: a definition, a parameter, a result or an answer. */
interface Unit {
  problems: Problem[];
  /** The types in conversion that have no definition, with the definition that a recursive one gets. */
  open: Map<ts.Type, Definition | undefined>;
  /** The instantiation that is converted, with those that lead to it. */
  instance: Instance | undefined;
}

/** How to convert the content of a definition. */
interface Pending {
  instance: Instance;
  subject: string;
  place: ts.Node | undefined;
  make: () => Converted;
}

/** Creates the converter of types for one direction. */
export function createConversion(
  checker: ts.TypeChecker,
  origins: Origins,
  codecs: CustomCodecs,
  direction: Direction,
  describes?: "setting",
): Conversion {
  const definitions = new Map<string, Definition>();
  const byType = new Map<ts.Type, Definition>();
  const growth = createGrowth(checker);
  /** The definitions whose content is not converted yet: no function needs them, or one that is too large. */
  const pending = new Map<Definition, Pending>();
  const reach = createReach(definitions, complete);
  /** The types that this collection has converted, by type and by the node that declares it, which may decide the order. */
  let converted = new Map<ts.Type, Map<ts.TypeNode | undefined, Converted>>();
  let unit = newUnit([]);

  function addDefinition(type: ts.Type, label: string | undefined, json: JsonType): Definition {
    const hint = label === undefined ? instanceName(conversion, type) : undefined;
    const definition: Definition = { id: String(definitions.size), label, hint, json, problems: [], schema: {} };
    definitions.set(definition.id, definition);
    return definition;
  }

  /** Converts the content of a definition, once. */
  function complete(definition: Definition): void {
    const next = pending.get(definition);
    if (next === undefined) return;
    pending.delete(definition);
    const outer = { unit, subject: conversion.subject, place: conversion.place };
    unit = newUnit(definition.problems, next.instance);
    conversion.subject = next.subject;
    // A definition is shared, so its problems may point only to its own declarations.
    conversion.place = undefined;
    if (growth.isEndless(next.instance)) {
      const own = outer.place === next.place ? undefined : next.place;
      conversion.report("PF1107", `${next.subject} has a type that expands infinitely. Limit its depth.`, own);
    } else Object.assign(definition, next.make());
    unit = outer.unit;
    conversion.subject = outer.subject;
    conversion.place = outer.place;
  }

  function convertWritten(type: ts.Type, node: ts.TypeNode | undefined): Converted {
    const result = convertType(conversion, type, node);
    // A definition already contains its comment.
    if (result.schema.$ref !== undefined) return result;
    let { schema } = result;
    const aliases = new Set([...(type.aliasSymbol ? [type.aliasSymbol] : []), ...aliasesOf(checker, node)]);
    for (const alias of aliases) {
      if (origins.isRuntime(alias, "Integer")) schema = withInteger(schema);
      else if (!origins.isPlatform(alias)) {
        schema = { ...conversion.document(schema, alias) };
        conversion.names.set(schema, alias.name);
      }
    }
    return { ...result, schema };
  }

  const conversion: Conversion = {
    checker,
    origins,
    codecs,
    direction,
    describes,
    definitions,
    unions: new Map<Plan, UnionFacts>(),
    names: new WeakMap(),
    onlyInCode: new Map(),
    subject: "",
    place: undefined,
    library: undefined,

    convert(given, hint) {
      const { type, node } = asWritten(checker, given, hint);
      const known = converted.get(type)?.get(node);
      if (known !== undefined) return known;
      const { length } = unit.problems;
      const result = convertWritten(type, node);
      // A problem is reported at each use.
      if (unit.problems.length > length || unit.open.has(type)) return result;
      const byNode = converted.get(type) ?? new Map<ts.TypeNode | undefined, Converted>();
      converted.set(type, byNode.set(node, result));
      return result;
    },

    convertElement(type, node) {
      const element = conversion.convert(type, node);
      if (direction === "in" || !includesUndefined(type)) return element;
      const { schema, plan } = element;
      return { schema: withNull(schema), plan: { kind: "nullable", ...(plan && { value: plan }) } };
    },

    define(type, label, json, make) {
      let definition = byType.get(type);
      if (definition === undefined) {
        const instance = growth.enter(type, unit.instance);
        const same = growth.shapeBefore(instance);
        definition = (same && byType.get(same)) ?? addDefinition(type, label, json);
        byType.set(type, definition);
        const { subject, place } = conversion;
        if (same === undefined) pending.set(definition, { instance, subject, place, make });
      }
      return refer(definition);
    },

    enter(type, json, make) {
      const { open } = unit;
      if (open.size >= MAX_NESTING) return conversion.define(type, type.aliasSymbol?.name, json, make);
      if (open.has(type)) {
        const definition = open.get(type) ?? addDefinition(type, type.aliasSymbol?.name, json);
        open.set(type, definition);
        return refer(definition);
      }
      open.set(type, undefined);
      const made = make();
      const definition = open.get(type);
      open.delete(type);
      return definition ? refer(Object.assign(definition, made)) : made;
    },

    document(schema, symbol) {
      const documented = documentSymbol(conversion, schema, symbol);
      const name = conversion.names.get(schema);
      if (name !== undefined) conversion.names.set(documented, name);
      return documented;
    },

    inline(given) {
      const definition = definitions.get(referredName(given.schema) ?? "");
      if (definition === undefined) return given;
      complete(definition);
      unit.problems.push(...definition.problems);
      const { $ref: _, ...siblings } = given.schema;
      // A codec and `toJSON` have plans that are not those of their JSON forms.
      const { plan = definition.plan } = given.plan?.kind === "ref" ? {} : given;
      return { schema: { ...definition.schema, ...siblings }, ...(plan && { plan }) };
    },

    report(code, message, node = conversion.place) {
      unit.problems.push({ code, message, node, ...(node === undefined && { library: conversion.library }) });
    },

    collect(subject, place, run) {
      unit = newUnit([]);
      converted = new Map();
      conversion.subject = subject;
      conversion.place = place;
      const collected = run();
      const reached = reach(collected.schema);
      if (reached !== "too large") return { ...collected, problems: [...unit.problems, ...reached] };
      return {
        schema: {},
        problems: [...unit.problems, { code: "PF1110", message: describeSize(subject), node: place }],
      };
    },
  };
  return conversion;
}

function newUnit(problems: Problem[], instance?: Instance): Unit {
  return { problems, open: new Map(), instance };
}

function convertType(conversion: Conversion, type: ts.Type, node: ts.TypeNode | undefined): Converted {
  const { checker, subject } = conversion;
  const { flags } = type;
  if (flags & ts.TypeFlags.Any) {
    if (isErrorType(type)) conversion.report("PF1101", describeUnresolved(conversion, node));
    else
      conversion.report(
        "PF2003",
        `${subject} has the type any, so every value is accepted. Declare a type, or unknown if that is intended.`,
      );
    return anything(conversion);
  }
  if (flags & ts.TypeFlags.Union && !(flags & ts.TypeFlags.Boolean)) return convertUnion(conversion, type, node);
  if (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return convertObject(conversion, type, node);
  const constraint = flags & ts.TypeFlags.Instantiable ? checker.getBaseConstraintOfType(type) : undefined;
  if (flags & ts.TypeFlags.Instantiable && !(flags & (ts.TypeFlags.TemplateLiteral | ts.TypeFlags.StringMapping))) {
    const served = constraint && constraint !== type ? constraint : undefined;
    const by = served ? `its constraint ${checker.typeToString(served)}` : "unknown, because it has no constraint";
    conversion.report(
      "PF2007",
      `${subject} has the generic type ${checker.typeToString(type)} and is served as ${by}.`,
    );
    return served ? conversion.convert(served) : anything(conversion);
  }
  return convertPrimitive(conversion, type);
}

function refer({ id }: Definition): Converted {
  return { schema: referenceTo(id), plan: { kind: "ref", name: id } };
}
