import type { Plan } from "proffer/derived";
import ts from "typescript";
import { documentSymbol } from "../comments/document.ts";
import { withInteger } from "../comments/keywords.ts";
import type { Conversion, Converted, Definition, Direction, Problem, UnionFacts } from "../model/conversion.ts";
import { referenceTo, referredName } from "../model/conversion.ts";
import { type DerivedSchema, forEachSubschema, type JsonType, withNull } from "../model/json-schema.ts";
import type { Origins } from "../program/origin.ts";
import type { CustomCodecs } from "./custom-codecs.ts";
import { convertObject } from "./object.ts";
import { convertPrimitive } from "./primitive.ts";
import { aliasesOf, asWritten, includesUndefined, isErrorType } from "./type-node.ts";
import { convertUnion } from "./union.ts";
import { describeUnresolved } from "./unresolved.ts";

/** Deeper than any type written by hand; a type that keeps instantiating itself would expand indefinitely. */
const MAX_DEPTH = 50;

/** The state of one conversion: a definition, a parameter, a result or an answer. */
interface Unit {
  problems: Problem[];
  /** The types in conversion that have no definition, with the definition that a recursive one gets. */
  open: Map<ts.Type, Definition | undefined>;
}

/** Creates the converter of types for one direction. */
export function createConversion(
  checker: ts.TypeChecker,
  origins: Origins,
  codecs: CustomCodecs,
  direction: Direction,
): Conversion {
  const definitions = new Map<string, Definition>();
  const byType = new Map<ts.Type, Definition>();
  let unit: Unit = { problems: [], open: new Map() };
  let depth = 0;

  function addDefinition(label: string | undefined, json: JsonType): Definition {
    const definition: Definition = { id: String(definitions.size), label, json, problems: [], schema: {} };
    definitions.set(definition.id, definition);
    return definition;
  }

  function convertDefinition(definition: Definition, make: () => Converted): void {
    const outer = { unit, subject: conversion.subject, place: conversion.place };
    unit = { problems: definition.problems, open: new Map() };
    // A definition is shared, so its problems may point only to its own declarations.
    conversion.place = undefined;
    depth++;
    if (depth <= MAX_DEPTH) Object.assign(definition, make());
    else conversion.report("PF1107", `${outer.subject} has a type that expands infinitely. Limit its depth.`);
    depth--;
    unit = outer.unit;
    conversion.subject = outer.subject;
    conversion.place = outer.place;
  }

  const conversion: Conversion = {
    checker,
    origins,
    codecs,
    direction,
    definitions,
    unions: new Map<Plan, UnionFacts>(),
    subject: "",
    place: undefined,
    library: undefined,

    convert(given, hint) {
      const { type, node } = asWritten(checker, given, hint);
      const converted = convertType(conversion, type, node);
      // A definition already contains its comment.
      if (converted.schema.$ref !== undefined) return converted;
      let { schema } = converted;
      for (const alias of new Set([...(type.aliasSymbol ? [type.aliasSymbol] : []), ...aliasesOf(checker, node)])) {
        if (origins.isRuntime(alias, "Integer")) schema = withInteger(schema);
        else if (!origins.isPlatform(alias)) schema = conversion.document(schema, alias);
      }
      return { ...converted, schema };
    },

    convertElement(type, node) {
      const converted = conversion.convert(type, node);
      const becomesNull = direction === "out" && includesUndefined(type);
      return becomesNull ? { ...converted, schema: withNull(converted.schema) } : converted;
    },

    define(type, label, json, make) {
      let definition = byType.get(type);
      if (definition === undefined) {
        definition = addDefinition(label, json);
        byType.set(type, definition);
        convertDefinition(definition, make);
      }
      return refer(definition);
    },

    guard(type, json, make) {
      const { open } = unit;
      if (open.has(type)) {
        const definition = open.get(type) ?? addDefinition(type.aliasSymbol?.name, json);
        open.set(type, definition);
        return refer(definition);
      }
      open.set(type, undefined);
      const converted = make();
      const definition = open.get(type);
      open.delete(type);
      return definition ? refer(Object.assign(definition, converted)) : converted;
    },

    document(schema, symbol) {
      return documentSymbol(conversion, schema, symbol);
    },

    inline(converted) {
      const definition = definitions.get(referredName(converted.schema) ?? "");
      if (definition === undefined) return converted;
      unit.problems.push(...definition.problems);
      const { $ref: _, ...siblings } = converted.schema;
      // The plan of a codec is not that of its JSON form.
      const plan = converted.plan?.kind === "custom" ? converted.plan : definition.plan;
      return { schema: { ...definition.schema, ...siblings }, ...(plan && { plan }) };
    },

    report(code, message, node = conversion.place) {
      unit.problems.push({ code, message, node, ...(node === undefined && { library: conversion.library }) });
    },

    collect(subject, place, run) {
      unit = { problems: [], open: new Map() };
      conversion.subject = subject;
      conversion.place = place;
      const converted = run();
      return { ...converted, problems: [...unit.problems, ...reachableProblems(definitions, converted.schema)] };
    },
  };
  return conversion;
}

function convertType(conversion: Conversion, type: ts.Type, node: ts.TypeNode | undefined): Converted {
  const { checker, subject } = conversion;
  const { flags } = type;
  if (flags & ts.TypeFlags.Any) {
    if (isErrorType(type)) conversion.report("PF1101", describeUnresolved(checker, subject, conversion.place, node));
    else
      conversion.report(
        "PF2003",
        `${subject} has the type any, so every value is accepted. Declare a type, or unknown if that is intended.`,
      );
    return { schema: {} };
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
    return served ? conversion.convert(served) : { schema: {} };
  }
  return convertPrimitive(conversion, type);
}

function refer({ id }: Definition): Converted {
  return { schema: referenceTo(id), plan: { kind: "ref", name: id } };
}

function reachableProblems(definitions: ReadonlyMap<string, Definition>, root: DerivedSchema): Problem[] {
  const found: Problem[] = [];
  const seen = new Set<string>();
  function visit(schema: DerivedSchema): void {
    const name = referredName(schema);
    const definition = name !== undefined && !seen.has(name) ? definitions.get(name) : undefined;
    if (definition) {
      seen.add(definition.id);
      found.push(...definition.problems);
      visit(definition.schema);
    }
    forEachSubschema(schema, visit);
  }
  visit(root);
  return found;
}
