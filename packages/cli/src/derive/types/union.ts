import type { PlanCondition } from "proffer/derived";
import ts from "typescript";
import { type DescribedValue, withValueList } from "../comments/apply-comment.ts";
import { docOfSymbol, docOfUnionMember } from "../comments/find-comment.ts";
import { type DocComment, descriptionOf, libraryDoc } from "../comments/parse-comment.ts";
import { combine, type DerivedSchema, enumSchema, withNull } from "../model/json-schema.ts";
import { type Conversion, type Converted, jsonOf, type UnionMember } from "./conversion.ts";
import { isOnlyInCode, JSON_FORMS } from "./platform.ts";
import { literalValue } from "./primitive.ts";
import { isAbsent, orderedMembers, unionMembers, unwrapNode, type WrittenType } from "./type-node.ts";
import { planUnion } from "./union-plan.ts";

type Scalar = string | number | boolean;

/** Converts a union. Undefined members are ignored: the caller knows the meaning of absence in its place. */
export function convertUnion(conversion: Conversion, type: ts.Type, node: ts.TypeNode | undefined): Converted {
  const { checker, origins } = conversion;
  const union = type as ts.UnionType;
  const inner = nullableNode(node);
  if (inner) {
    const { schema, plan } = conversion.convert(checker.getTypeFromTypeNode(inner), inner);
    return { schema: withNull(schema), ...(plan && { plan }) };
  }
  const make = () =>
    convertMembers(conversion, orderedMembers(checker, union, node), () => checker.typeToString(union), node);
  const documented = (symbol: ts.Symbol) => {
    const converted = make();
    return { ...converted, schema: conversion.document(converted.schema, symbol) };
  };
  const alias = union.aliasSymbol;
  if (alias !== undefined && !origins.isPlatform(alias) && union.types.some(isStructured)) {
    return conversion.define(type, alias.name, "object", () => documented(alias));
  }
  // An enum has no alias; its comment is on the enum's symbol.
  return union.flags & ts.TypeFlags.EnumLike ? documented(union.symbol) : conversion.enter(type, "object", make);
}

/** Returns `Type` of `Type | null`: the compiler merges a union `Type` with null, which loses the name. */
function nullableNode(node: ts.TypeNode | undefined): ts.TypeNode | undefined {
  if (node === undefined || !ts.isUnionTypeNode(node)) return undefined;
  const isNull = (member: ts.TypeNode) =>
    ts.isLiteralTypeNode(member) && member.literal.kind === ts.SyntaxKind.NullKeyword;
  const others = node.types.filter((member) => !isNull(member) && member.kind !== ts.SyntaxKind.UndefinedKeyword);
  return node.types.some(isNull) && others.length === 1 ? others[0] : undefined;
}

/** Converts a value of one of several types. `text` returns their union's name in messages; `node` is the union. */
export function convertMembers(
  conversion: Conversion,
  types: WrittenType[],
  text: () => string,
  node?: ts.TypeNode,
): Converted {
  const written = types.filter(({ type }) => !isAbsent(type));
  const isNull = ({ type }: WrittenType) => (type.flags & ts.TypeFlags.Null) !== 0;
  // A result such as PropertyKey has no symbol either: JSON omits it.
  const isSymbol = ({ type }: WrittenType) => (type.flags & ts.TypeFlags.ESSymbolLike) !== 0;
  const usable = written.filter(
    (member) => !isNull(member) && !isSymbol(member) && !isOnlyInCode(conversion, member.type),
  );
  // Unions of libraries have hundreds of members, so only those that another one may contain are compared.
  const given = new Set(usable.flatMap(({ type }) => type.aliasTypeArguments ?? []));
  const sendable = usable.filter(({ type }) => {
    const isCandidate = given.has(type) || /^(?:Readonly)?Map$/.test(type.symbol?.name ?? "");
    return !isCandidate || !usable.some((other) => contains(conversion, other.type, type));
  });
  // If nothing is left, the first of the others is reported.
  const present = sendable.length > 0 ? sendable : written.filter((member) => !isNull(member));
  if (present.length === 0) return { schema: { type: "null" } };
  const scalars: Scalar[] = [];
  const members: UnionMember[] = [];
  const conditions = findDiscriminator(conversion, present);
  for (const { type, node: own } of present) {
    const literal = literalValue(type);
    if (literal !== undefined) {
      scalars.push(literal);
      continue;
    }
    const converted = conversion.convert(type, own);
    const when = conditions?.get(type);
    members.push({ ...converted, json: jsonOf(conversion, converted.schema), ...(when && { when }) });
  }
  const described = scalars.length > 0 ? describedValues(conversion, present, node) : [];
  const schemas = [...scalarSchemas(scalars, described), ...members.map(({ schema }) => schema)];
  // In an open result, an object with the property would match a member without it too.
  const isExact = conversion.direction === "in" || ![...(conditions?.values() ?? [])].some(({ absent }) => absent);
  const isDiscriminated = conditions?.size === schemas.length && isExact;
  const literals = scalars.map((value): UnionMember => {
    const json = typeof value as "string" | "number" | "boolean";
    return { schema: {}, json, ...(typeof value === "string" && { literal: value }) };
  });
  const plan = planUnion(conversion, [...literals, ...members], text);
  const schema = combine(schemas, written.some(isNull), isDiscriminated);
  return { schema, ...(plan && { plan }) };
}

/**
 * Whether each JSON value of a member is also one of another member, so that the other one suffices for arguments: a
 * record beside a Map, and `DeepPartial<T>` beside `T`.
 */
function contains({ checker, origins, direction }: Conversion, other: ts.Type, type: ts.Type): boolean {
  if (direction === "out" || other === type || !isStructured(type) || !isStructured(other)) return false;
  const isOfPlatform = type.symbol !== undefined && origins.isPlatform(type.symbol);
  if (isOfPlatform && /^(?:Readonly)?Map$/.test(type.symbol.name)) {
    const [key, value] = checker.getTypeArguments(type as ts.TypeReference);
    const values = checker.getIndexTypeOfType(other, ts.IndexKind.String);
    return !!key && !!value && (key.flags & ts.TypeFlags.String) !== 0 && value === values;
  }
  if (!other.aliasTypeArguments?.includes(type) || checker.getIndexInfosOfType(type).length > 0) return false;
  const names = checker.getPropertiesOfType(type).map(({ name }) => name);
  const hasAll = names.every((name) => checker.getPropertyOfType(other, name) !== undefined);
  return hasAll && checker.isTypeAssignableTo(type, other);
}

/** Returns the schemas of literal members. The compiler represents a boolean as the union of `true` and `false`. */
function scalarSchemas(scalars: Scalar[], described: DescribedValue[]): DerivedSchema[] {
  const isBoolean = scalars.includes(true) && scalars.includes(false);
  const values = isBoolean ? scalars.filter((value) => typeof value !== "boolean") : scalars;
  const schemas: DerivedSchema[] = values.length > 0 ? [withValueList(enumSchema(values), described)] : [];
  if (isBoolean) schemas.push({ type: "boolean" });
  return schemas;
}

function isStructured(type: ts.Type): boolean {
  return (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
}

/** Whether a member is a JSON object with the type's properties. */
function isRecord({ checker, origins, codecs, direction }: Conversion, type: ts.Type): boolean {
  if (!isStructured(type) || checker.isArrayLikeType(type)) return false;
  if (codecs.find(type, direction)?.isClass === false) return false;
  return type.symbol === undefined || !origins.isPlatform(type.symbol) || !JSON_FORMS.has(type.symbol.name);
}

/**
 * Finds the discriminator of the object members: a property that is required in each, has literal types, and shares no
 * value between members. Returns the condition of each member.
 */
function findDiscriminator(conversion: Conversion, members: WrittenType[]): Map<ts.Type, PlanCondition> | undefined {
  const { checker } = conversion;
  const objects = members.map(({ type }) => type).filter((type) => isRecord(conversion, type));
  const [first] = objects;
  if (first === undefined || objects.length < 2) return undefined;
  for (const { name: property } of checker.getPropertiesOfType(first)) {
    const found = new Map<ts.Type, PlanCondition>();
    const taken = new Set<Scalar | null | undefined>();
    for (const type of objects) {
      const values = literalValuesOf(checker, type, property);
      if (values === undefined || values.some((value) => taken.has(value))) break;
      for (const value of values) taken.add(value);
      const present = values.filter((value) => value !== undefined);
      found.set(type, { property, values: present, ...(present.length < values.length && { absent: true }) });
    }
    if (found.size === objects.length) return found;
  }
  return undefined;
}

/** Returns the literals of a property; undefined among them stands for its absence, as in `{ case: undefined }`. */
function literalValuesOf(
  checker: ts.TypeChecker,
  type: ts.Type,
  name: string,
): (Scalar | null | undefined)[] | undefined {
  const property = checker.getPropertyOfType(type, name);
  if (property === undefined) return undefined;
  const propertyType = checker.getTypeOfSymbol(property);
  if (isAbsent(propertyType)) return [undefined];
  if (property.flags & ts.SymbolFlags.Optional) return undefined;
  const values: (Scalar | null)[] = [];
  for (const member of unionMembers(propertyType)) {
    const value = member.flags & ts.TypeFlags.Null ? null : literalValue(member);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

/**
 * Returns the literals of a union that have a comment: on an enum member, before a member of the union, or on a property
 * of the object in `keyof typeof OBJECT` and `(typeof OBJECT)[keyof typeof OBJECT]`. A member of a numeric enum always
 * has its name, because its number says nothing.
 */
function describedValues(conversion: Conversion, members: WrittenType[], node?: ts.TypeNode): DescribedValue[] {
  const inObject = objectComments(conversion, node);
  return members.flatMap(({ type, node: own }) => {
    const value = literalValue(type);
    if (value === undefined) return [];
    const isMember = type.symbol !== undefined && (type.symbol.flags & ts.SymbolFlags.EnumMember) !== 0;
    const name = isMember && typeof value === "number" ? type.symbol.name : "";
    const doc = isMember ? docOfSymbol(type.symbol) : ((own && docOfUnionMember(own)) ?? inObject?.get(value));
    const parts = [name, doc ? textOf(conversion, doc) : ""].filter(Boolean);
    return parts.length > 0 ? [{ value, text: parts.join(". ") }] : [];
  });
}

function textOf({ origins }: Conversion, doc: DocComment): string {
  const isOwn = doc.place !== undefined && origins.isProject(doc.place.file);
  return descriptionOf(isOwn ? doc : libraryDoc(doc));
}

/** Returns the comments of an object's properties, by the values that the node selects: its keys or its values. */
function objectComments({ checker }: Conversion, node: ts.TypeNode | undefined): Map<Scalar, DocComment> | undefined {
  const written = unwrapNode(checker, node);
  if (written === undefined) return undefined;
  const isKeys = ts.isTypeOperatorNode(written) && written.operator === ts.SyntaxKind.KeyOfKeyword;
  const selected = isKeys ? written.type : ts.isIndexedAccessTypeNode(written) ? written.objectType : undefined;
  const object = unwrapNode(checker, selected);
  if (object === undefined || !ts.isTypeQueryNode(object)) return undefined;
  const found = new Map<Scalar, DocComment>();
  for (const property of checker.getPropertiesOfType(checker.getTypeFromTypeNode(object))) {
    const doc = docOfSymbol(property);
    const value = isKeys ? property.name : literalValue(checker.getTypeOfSymbol(property));
    if (doc && value !== undefined) found.set(value, doc);
  }
  return found;
}
