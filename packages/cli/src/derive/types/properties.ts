import type { Plan } from "proffer/derived";
import ts from "typescript";
import { typedefProperties } from "../comments/find-comment.ts";
import type { Conversion, Converted } from "../model/conversion.ts";
import type { DerivedSchema } from "../model/json-schema.ts";
import { convertIndexSignatures } from "./index-signature.ts";
import { orderedProperties } from "./member-order.ts";
import { reportHidden } from "./nested-doc.ts";
import { anything } from "./outward.ts";
import { isOnlyInCode } from "./platform.ts";
import { hasPrivateName, includesUndefined, isAbsent, typeNodeOf } from "./type-node.ts";

/** Converts an object type from its properties and index signatures. */
export function convertProperties(conversion: Conversion, type: ts.Type, node: ts.TypeNode | undefined): Converted {
  const { checker } = conversion;
  const name = nameOf(conversion.origins.isPlatform, type);
  const members = dataMembers(conversion, type, node);
  if (members === undefined) return { schema: {} };
  const place = ownPlace(conversion, (name ?? type.symbol)?.declarations?.[0]);
  const properties: [string, DerivedSchema][] = [];
  const plans: [string, Plan][] = [];
  const required: string[] = [];
  for (const member of members) {
    const held = checker.getTypeOfSymbol(member);
    if (isAbsent(held) || held.flags & ts.TypeFlags.Never) continue;
    const declaration = member.valueDeclaration ?? member.declarations?.[0];
    conversion.subject = `property '${member.name}'${name ? ` of '${name.name}'` : ""}`;
    conversion.place = ownPlace(conversion, declaration) ?? place;
    conversion.library = declaration && conversion.origins.packageOf(declaration.getSourceFile().fileName)?.name;
    const { schema, plan } = conversion.convert(held, typeNodeOf(declaration));
    properties.push([member.name, conversion.document(schema, member)]);
    if (plan) plans.push([member.name, plan]);
    if (!(member.flags & ts.SymbolFlags.Optional) && !mayBeMissing(conversion, held)) required.push(member.name);
  }
  conversion.subject = name ? `'${name.name}'` : "this type";
  conversion.place = place;
  for (const tagged of (place && typedefProperties(place)) ?? []) {
    if (!members.some((member) => member.name === tagged)) reportHidden(conversion, tagged);
  }
  const index = convertIndexSignatures(conversion, type);
  // The type {} means any object, not an object without properties.
  const isAnyObject = members.length === 0 && checker.getIndexInfosOfType(type).length === 0;
  if (isAnyObject && conversion.direction === "out") {
    const any = anything(conversion);
    return name ? { ...any, schema: conversion.document(any.schema, name) } : any;
  }
  const isClosed = conversion.direction === "in" && !isAnyObject && !index.isOpen;
  const schema: DerivedSchema = {
    type: "object",
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required }),
    ...(isClosed && { additionalProperties: false }),
    // Closed results keep the properties that the index signature allows.
    ...(index.isOpen && conversion.direction === "out" && properties.length > 0 && { additionalProperties: {} }),
    ...index.schema,
  };
  const plan = planOf(plans, index.plan);
  return {
    schema: name ? conversion.document(schema, name) : schema,
    ...(plan && { plan }),
  };
}

/** Whether a property of this type may be missing. In a result, JSON leaves out an `unknown` value that is undefined. */
function mayBeMissing({ direction }: Conversion, type: ts.Type): boolean {
  const isAnything = (type.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) !== 0;
  return includesUndefined(type) || (direction === "out" && isAnything);
}

function planOf(plans: [string, Plan][], rest: Plan | undefined): Plan | undefined {
  if (plans.length === 0 && (rest === undefined || rest.kind === "any")) return rest;
  return {
    kind: "object",
    ...(plans.length > 0 && { properties: Object.fromEntries(plans) }),
    ...(rest && { rest }),
  };
}

/** Returns the symbol that names a type: its alias, interface or class. */
export function nameOf(isPlatform: (symbol: ts.Symbol) => boolean, type: ts.Type): ts.Symbol | undefined {
  const { aliasSymbol: alias, symbol } = type;
  if (alias && !isPlatform(alias)) return alias;
  const isNamed = symbol !== undefined && (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) !== 0;
  return isNamed ? symbol : undefined;
}

/** Returns the node if it is in a project file, where the author can change it. */
function ownPlace({ origins }: Conversion, node: ts.Node | undefined): ts.Node | undefined {
  return node && origins.isProject(node.getSourceFile()) ? node : undefined;
}

/**
 * Returns the properties that JSON can represent. Symbol properties are skipped silently, because brands use them. A
 * class with methods, accessors or private members is reported as PF1105, and the result is undefined: JSON cannot
 * construct an instance, and `JSON.stringify` does not write accessors.
 */
function dataMembers(conversion: Conversion, type: ts.Type, node: ts.TypeNode | undefined): ts.Symbol[] | undefined {
  const { checker } = conversion;
  const members: ts.Symbol[] = [];
  const others: string[] = [];
  for (const member of orderedProperties(checker, type, node)) {
    if (member.name.startsWith("__@") || isUnwritten(conversion, member)) continue;
    if (isUnsendable(conversion, member)) continue;
    if (isNotData(conversion, member)) others.push(member.name);
    else members.push(member);
  }
  if (others.length > 0) {
    const shown = others.length > 3 ? `${others.slice(0, 3).join(", ")}, …` : others.join(", ");
    const written = checker.typeToString(type);
    const remedy =
      conversion.direction === "in" ? `export a codec, defineCodec<${written}, …>({ … })` : "add toJSON() to the class";
    conversion.report(
      "PF1105",
      `'${written}' has methods, accessors or private members (${shown}). Use an interface with only the data, or ${remedy}.`,
    );
    return undefined;
  }
  return members;
}

/** Whether a value has the member, but its JSON never does: `#name` is not a property. */
function isUnwritten({ direction }: Conversion, { valueDeclaration }: ts.Symbol): boolean {
  return direction === "out" && valueDeclaration !== undefined && hasPrivateName(valueDeclaration);
}

/** Whether a member is an option that only code can set, such as `signal?: AbortSignal`. */
function isUnsendable(conversion: Conversion, member: ts.Symbol): boolean {
  if (conversion.direction === "out" || !(member.flags & ts.SymbolFlags.Optional)) return false;
  return isOnlyInCode(conversion, conversion.checker.getTypeOfSymbol(member));
}

/** Whether a member is not data: a method, accessor or private member of a class, or a function of a library type. */
function isNotData({ checker, origins }: Conversion, member: ts.Symbol): boolean {
  const declaration = member.valueDeclaration ?? member.declarations?.[0];
  if (declaration === undefined) return false;
  if (!origins.isProject(declaration.getSourceFile())) {
    return isCallable(checker.getTypeOfSymbol(member));
  }
  if (!ts.isClassLike(declaration.parent)) return false;
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  if (ts.getCombinedModifierFlags(declaration) & hidden || hasPrivateName(declaration)) return true;
  return ts.isMethodDeclaration(declaration) || ts.isAccessor(declaration);
}

/** Whether a value of this type is a function, if it is there. The first member of a union usually decides it. */
function isCallable(type: ts.Type): boolean {
  const isMissing = (member: ts.Type) => isAbsent(member) || (member.flags & ts.TypeFlags.Null) !== 0;
  const isFunction = (member: ts.Type) => member.getCallSignatures().length > 0;
  if (!type.isUnion()) return isFunction(type);
  return type.types.every((member) => isMissing(member) || isFunction(member)) && !type.types.every(isMissing);
}
