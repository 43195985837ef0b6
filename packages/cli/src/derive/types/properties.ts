import type { Plan } from "proffer/derived";
import ts from "typescript";
import { typedefProperties } from "../comments/find-comment.ts";
import type { DerivedSchema } from "../model/json-schema.ts";
import { type Conversion, type Converted, jsonOf, type UnionMember } from "./conversion.ts";
import { withDecorators } from "./decorators.ts";
import { reportHidden } from "./nested-params.ts";
import { anything } from "./outward.ts";
import { isOnlyInCode } from "./platform.ts";
import {
  argumentNodes,
  hasPrivateName,
  includesUndefined,
  isAbsent,
  isBehavior,
  isCallable,
  isDeclaredData,
  isForeignUndefined,
  isInherited,
  isNamed,
  orderedMembers,
  ranksOf,
  reportMissable,
  typeNodeOf,
  unionMembers,
  unwrapNode,
} from "./type-node.ts";
import { planOneOf } from "./union-plan.ts";

/** Converts an object type from its properties and index signatures. */
export function convertProperties(conversion: Conversion, type: ts.Type, node: ts.TypeNode | undefined): Converted {
  const { checker, codecs, direction } = conversion;
  const name = nameOf(conversion.origins.isPlatform, type);
  const members = dataMembers(conversion, type, node);
  if (members === undefined) return { schema: {} };
  const place = ownPlace(conversion, (name ?? type.symbol)?.declarations?.[0]);
  if (place && ts.isClassLike(place) && !codecs.find(type, direction)) reportClass(conversion, place, name?.name);
  const properties: [string, DerivedSchema][] = [];
  const plans: [string, Plan][] = [];
  const required: string[] = [];
  for (const member of members) {
    const memberType = checker.getTypeOfSymbol(member);
    if (isAbsent(memberType) || memberType.flags & ts.TypeFlags.Never) continue;
    const declaration = member.valueDeclaration ?? member.declarations?.[0];
    conversion.subject = `property '${member.name}'${name ? ` of '${name.name}'` : ""}`;
    conversion.place = ownPlace(conversion, declaration) ?? place;
    conversion.library = declaration && conversion.origins.packageOf(declaration.getSourceFile().fileName)?.name;
    const { schema, plan } = conversion.convert(memberType, typeNodeOf(declaration));
    properties.push([member.name, conversion.document(withDecorators(conversion, schema, declaration), member)]);
    const own = plan ?? (isMessage(conversion, member, memberType) ? ERROR : undefined);
    if (own) plans.push([member.name, own]);
    if (isRequired(conversion, member, memberType, declaration)) required.push(member.name);
  }
  conversion.subject = name ? `'${name.name}'` : "this type";
  conversion.place = place;
  for (const tagged of (place && typedefProperties(place)) ?? []) {
    if (!members.some((member) => member.name === tagged)) reportHidden(conversion, tagged);
  }
  const { subject } = conversion;
  conversion.subject = `a value of ${subject}`;
  const index = convertIndexSignatures(conversion, type);
  conversion.subject = subject;
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

/** Says that arguments are no instances, which `instanceof` and validators that look for decorators do not accept. */
function reportClass(conversion: Conversion, place: ts.Node, name = "this type"): void {
  if (conversion.direction === "out" || conversion.describes === "setting") return;
  conversion.report(
    "PF3006",
    `'${name}' is a class, but an argument of this type is a plain object with its properties. For an instance, export a codec: defineCodec(${name}).`,
    place,
  );
}

const ERROR: Plan = { kind: "error" };

/**
 * Whether a property is the message of an error, which has the type of the object. The plan of the object then writes an
 * error as its name and message: as it is, it would leave with the request and its headers.
 */
function isMessage({ direction }: Conversion, { name }: ts.Symbol, type: ts.Type): boolean {
  return (
    direction === "out" && name === "message" && unionMembers(type).some(({ flags }) => flags & ts.TypeFlags.String)
  );
}

/** Whether a property must be there. In a result, JSON leaves out an `unknown` value that is undefined. */
function isRequired(conversion: Conversion, member: ts.Symbol, type: ts.Type, declaration?: ts.Declaration): boolean {
  if (member.flags & ts.SymbolFlags.Optional) return false;
  if (conversion.direction === "out")
    return !includesUndefined(type) && !(type.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any));
  if (!includesUndefined(type) || isForeignUndefined(conversion, declaration)) return true;
  if (declaration) reportMissable(conversion);
  return false;
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
  return isNamed(type) ? symbol : undefined;
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
  const isInstance = conversion.codecs.find(type, conversion.direction) !== undefined;
  for (const member of orderedProperties(checker, type, node)) {
    if (member.name.startsWith("__@") || isLeftOut(conversion, member)) continue;
    if (isInstance && !isDeclaredData(checker, member)) continue;
    if (isNotData(conversion, type, member)) others.push(member.name);
    else members.push(member);
  }
  if (others.length > 0) {
    const shown = others.length > 3 ? `${others.slice(0, 3).join(", ")}, …` : others.join(", ");
    const written = checker.typeToString(type);
    const isOwn = type.symbol?.declarations?.some((each) => conversion.origins.isProject(each.getSourceFile()));
    const remedy =
      conversion.direction === "out" && isOwn
        ? "add toJSON() to the class"
        : `export a codec, defineCodec<${written}, …>({ … })`;
    conversion.report(
      "PF1105",
      `'${written}' has methods, accessors or private members (${shown}). Use an interface with only the data, or ${remedy}.`,
    );
    return undefined;
  }
  return members;
}

/**
 * Whether a member is never in JSON: a member of `Object.prototype`; in a result `#name`, which is not a property; in an
 * argument an option that only code can set, such as `signal?: AbortSignal`.
 */
function isLeftOut(conversion: Conversion, member: ts.Symbol): boolean {
  const { valueDeclaration, flags } = member;
  if (isInherited(conversion, member)) return true;
  if (conversion.direction === "out") return valueDeclaration !== undefined && hasPrivateName(valueDeclaration);
  const type = conversion.checker.getTypeOfSymbol(member);
  const isOptional = (flags & ts.SymbolFlags.Optional) !== 0 || includesUndefined(type);
  return isOptional && isOnlyInCode(conversion, type);
}

/** Whether a member is not data: a method, accessor or private member of a class, or a function of a library type. */
function isNotData({ checker, origins, direction }: Conversion, type: ts.Type, member: ts.Symbol): boolean {
  const declaration = member.valueDeclaration ?? member.declarations?.[0];
  if (declaration === undefined) return false;
  if (!origins.isProject(declaration.getSourceFile())) {
    return isCallable(checker.getTypeOfSymbol(member));
  }
  if (!ts.isClassLike(declaration.parent)) return false;
  // A mapped type such as Pick has the value of a getter as data, which an argument can contain.
  const isMapped = direction === "in" && !isNamed(type);
  return isBehavior(declaration) && !(isMapped && ts.isAccessor(declaration));
}

/** Matches a number as JavaScript writes it in a property key. */
const NUMERIC_KEY = "^-?[0-9]+(?:\\.[0-9]+)?(?:e[+-]?[0-9]+)?$";

/** Converts the index signatures of a type. `isOpen`: any further property is allowed. */
function convertIndexSignatures(conversion: Conversion, type: ts.Type) {
  const members: UnionMember[] = [];
  const patterns: [string, DerivedSchema][] = [];
  const types: ts.Type[] = [];
  let additional: DerivedSchema | undefined;
  for (const { keyType, type: value, declaration } of conversion.checker.getIndexInfosOfType(type)) {
    if (keyType.flags & ts.TypeFlags.ESSymbolLike) continue;
    // A property whose value is undefined is absent, unlike an element.
    const converted = conversion.convert(value, declaration?.type ?? mappedValue(type));
    members.push({ ...converted, json: jsonOf(conversion, converted.schema) });
    types.push(value);
    const isNumber = (keyType.flags & ts.TypeFlags.NumberLike) !== 0;
    const pattern = isNumber ? NUMERIC_KEY : conversion.convert(keyType).schema.pattern;
    if (pattern === undefined) additional = converted.schema;
    else patterns.push([pattern, converted.schema]);
  }
  const isOpen = additional !== undefined && Object.keys(additional).length === 0;
  return {
    schema: {
      ...(patterns.length > 0 && { patternProperties: Object.fromEntries(patterns) }),
      ...(additional && !isOpen && { additionalProperties: additional }),
    },
    plan: planOneOf(conversion, members, () =>
      types.map((value) => conversion.checker.typeToString(value)).join(" | "),
    ),
    isOpen,
  };
}

/** Returns the type node of the values of a mapped type, which keeps the name of a union that may be undefined. */
function mappedValue(type: ts.Type): ts.TypeNode | undefined {
  const declaration = type.symbol?.declarations?.[0];
  return declaration && ts.isMappedTypeNode(declaration) ? declaration.type : undefined;
}

/**
 * Returns the properties of a type in source order. The compiler orders those of a mapped type by where each key first
 * occurs in the program, so an edit of one function would reorder the schema of another.
 */
function orderedProperties(checker: ts.TypeChecker, type: ts.Type, node?: ts.TypeNode): readonly ts.Symbol[] {
  const members = checker.getPropertiesOfType(type);
  if (type.isIntersection()) {
    const names = type.types.flatMap((part) => orderedProperties(checker, part).map(({ name }) => name));
    return sorted(members, ranksOf(names));
  }
  const mapped = type.symbol?.declarations?.find(ts.isMappedTypeNode);
  if (mapped === undefined) return members;
  if (members.every(({ declarations }) => declarations?.[0])) return byDeclaration(members);
  const keys = keyNames(checker, node ?? mapped);
  const { constraint } = mapped.typeParameter;
  const isKeyof = constraint && ts.isTypeOperatorNode(constraint) && constraint.operator === ts.SyntaxKind.KeyOfKeyword;
  // For the keys of another type, the compiler has the order of that type.
  if (keys.length === 0 && isKeyof) return members;
  return sorted(members, ranksOf(keys), (a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Returns the keys of `Record<Keys, …>`, also inside Partial and similar types, and of `{ [Key in Keys]: … }`. */
function keyNames(checker: ts.TypeChecker, node: ts.TypeNode | undefined): string[] {
  const written = unwrapNode(checker, node);
  if (written === undefined) return [];
  const keys = ts.isMappedTypeNode(written) ? written.typeParameter.constraint : argumentNodes(checker, written)[0];
  if (keys === undefined) return [];
  const type = checker.getTypeFromTypeNode(keys);
  if (!type.isUnion()) return keyNames(checker, keys);
  return orderedMembers(checker, type, keys).flatMap((member) =>
    member.type.isStringLiteral() ? [member.type.value] : [],
  );
}

/** Sorts by the position of the declarations. Types whose properties are mixed keep the order in which they occur. */
function byDeclaration(members: readonly ts.Symbol[]): readonly ts.Symbol[] {
  const parents = ranksOf(members.map((member) => member.declarations?.[0]?.parent));
  const rankOf = (member: ts.Symbol) => parents.get(member.declarations?.[0]?.parent) ?? 0;
  const positionOf = (member: ts.Symbol) => member.declarations?.[0]?.pos ?? 0;
  return [...members].sort((a, b) => rankOf(a) - rankOf(b) || positionOf(a) - positionOf(b));
}

function sorted(
  members: readonly ts.Symbol[],
  order: ReadonlyMap<string, number>,
  compare: (a: ts.Symbol, b: ts.Symbol) => number = () => 0,
): readonly ts.Symbol[] {
  const rankOf = (member: ts.Symbol) => order.get(keyOf(member)) ?? order.get(member.name) ?? order.size;
  return [...members].sort((a, b) => rankOf(a) - rankOf(b) || compare(a, b));
}

/** Returns the key that a property is mapped from; `as` may have renamed it. The public type does not have it. */
function keyOf(member: ts.Symbol): string {
  const { links } = member as ts.Symbol & { links?: { keyType?: ts.Type } };
  return links?.keyType?.isStringLiteral() ? links.keyType.value : member.name;
}
