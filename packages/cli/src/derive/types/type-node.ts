import ts from "typescript";
import type { Conversion } from "./conversion.ts";

/** A type and, if known, the node that the author wrote for it. */
export interface WrittenType {
  type: ts.Type;
  node: ts.TypeNode | undefined;
}

/** Whether the compiler could not resolve a type. The public API shows such a type as `any`. */
export function isErrorType(type: ts.Type): boolean {
  return (type as ts.Type & { intrinsicName?: string }).intrinsicName === "error";
}

export function isJavaScript(node: ts.Node): boolean {
  return (node.flags & ts.NodeFlags.JavaScriptFile) !== 0;
}

export function isAbsent(type: ts.Type): boolean {
  return (type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) !== 0;
}

/**
 * Whether a package adds undefined to a type: in the declaration of a property, as AWS writes `Key: … | undefined`, or in
 * an alias. TypeScript then requires the property, and JSON has nothing to write for undefined, so it is required.
 */
export function isForeignUndefined(
  { checker, origins }: Pick<Conversion, "checker" | "origins">,
  declaration: ts.Declaration | undefined,
): boolean {
  if (declaration === undefined) return false;
  if (!origins.isProject(declaration.getSourceFile())) return true;
  return aliasesOf(checker, typeNodeOf(declaration)).some((alias) => {
    const file = alias.declarations?.[0]?.getSourceFile();
    return file !== undefined && !origins.isProject(file) && includesUndefined(checker.getDeclaredTypeOfSymbol(alias));
  });
}

/** Reports a value of the author's types that clients may leave out, although TypeScript requires it. */
export function reportMissable(conversion: Conversion): void {
  if (conversion.describes === "setting") return;
  conversion.report(
    "PF3004",
    `${conversion.subject} may be undefined, which JSON writes by leaving it out, so clients may leave it out. Write ? to say so, or remove undefined.`,
  );
}

/** Returns the members of a union; of any other type, the type itself. */
export function unionMembers(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
}

export function includesUndefined(type: ts.Type): boolean {
  return unionMembers(type).some(isAbsent);
}

/** Returns the type annotation of a declaration. */
export function typeNodeOf(declaration: ts.Declaration | undefined): ts.TypeNode | undefined {
  if (declaration === undefined) return undefined;
  if (ts.isJSDocParameterTag(declaration) || ts.isJSDocPropertyTag(declaration)) {
    const written = declaration.typeExpression?.type;
    return written && ts.isTypeNode(written) ? written : undefined;
  }
  const { type } = declaration as { type?: ts.TypeNode };
  if (type && ts.isTypeNode(type)) return type;
  return isJavaScript(declaration) ? ts.getJSDocType(declaration) : undefined;
}

/** Whether a member is private by its name, `#name`. */
export function hasPrivateName(declaration: ts.Declaration): boolean {
  const name = ts.getNameOfDeclaration(declaration);
  return name !== undefined && ts.isPrivateIdentifier(name);
}

/** Whether a value of this type is a function, if it is there. The first member of a union usually decides it. */
export function isCallable(type: ts.Type): boolean {
  const isMissing = (member: ts.Type) => isAbsent(member) || (member.flags & ts.TypeFlags.Null) !== 0;
  const isFunction = (member: ts.Type) => member.getCallSignatures().length > 0;
  if (!type.isUnion()) return isFunction(type);
  return type.types.every((member) => isMissing(member) || isFunction(member)) && !type.types.every(isMissing);
}

/** Whether a member of a class is a method, an accessor or private. */
export function isBehavior(declaration: ts.Declaration): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  if (ts.getCombinedModifierFlags(declaration) & hidden || hasPrivateName(declaration)) return true;
  return ts.isMethodDeclaration(declaration) || ts.isAccessor(declaration);
}

/** Whether a client can set a member of an instance: it is neither a method nor an accessor, and not private. */
export function isDeclaredData(checker: ts.TypeChecker, member: ts.Symbol): boolean {
  const declaration = member.valueDeclaration ?? member.declarations?.[0];
  return declaration !== undefined && !isBehavior(declaration) && !isCallable(checker.getTypeOfSymbol(member));
}

/**
 * Whether every object inherits a member from `Object.prototype`, where JSON does not look: `toString(): string`, or the
 * `constructor` of a package's rows. A primitive of this name is data, and so is an object in the author's types. An
 * argument lacks a method that a class has of its own.
 */
export function isInherited({ checker, origins, direction }: Conversion, member: ts.Symbol): boolean {
  const { name, valueDeclaration, declarations } = member;
  if (!Object.hasOwn(Object.prototype, name)) return false;
  const declaration = valueDeclaration ?? declarations?.[0];
  if (declaration === undefined || (direction === "in" && ts.isClassLike(declaration.parent))) return false;
  const type = checker.getTypeOfSymbol(member);
  if (isCallable(type) || (type.symbol?.name === "Function" && origins.isPlatform(type.symbol))) return true;
  return !origins.isProject(declaration.getSourceFile()) && (type.flags & ts.TypeFlags.Object) !== 0;
}

/** Returns the types of the items of an array or a tuple, without unions; undefined for any other type. */
export function elementTypes(checker: ts.TypeChecker, type: ts.Type): readonly ts.Type[] | undefined {
  if (!checker.isArrayType(type) && !checker.isTupleType(type)) return undefined;
  const items = checker.getTypeArguments(type as ts.TypeReference);
  return items.flatMap(unionMembers);
}

/** Whether a type has a name by which it can be found: it is a class or an interface. */
export function isNamed({ symbol }: ts.Type): boolean {
  return symbol !== undefined && (symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)) !== 0;
}

/** Returns the symbol that an import or export specifier refers to. */
export function aliasTarget(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Returns the alias that a node names. The compiler forgets some: for it, `type Email = string` is just a string. */
function aliasOf(checker: ts.TypeChecker, node: ts.TypeNode | undefined): ts.Symbol | undefined {
  if (node === undefined || !ts.isTypeReferenceNode(node)) return undefined;
  const symbol = checker.getSymbolAtLocation(node.typeName);
  const target = symbol && aliasTarget(checker, symbol);
  return target && target.flags & ts.SymbolFlags.TypeAlias ? target : undefined;
}

/** Returns the chain of aliases that a node names, innermost first. */
export function aliasesOf(checker: ts.TypeChecker, node: ts.TypeNode | undefined): ts.Symbol[] {
  const found: ts.Symbol[] = [];
  let alias = aliasOf(checker, node);
  while (alias !== undefined && !found.includes(alias)) {
    found.unshift(alias);
    alias = aliasOf(checker, alias.declarations?.find(ts.isTypeAliasDeclaration)?.type);
  }
  return found;
}

/** Strips parentheses and `readonly`, and follows aliases without type parameters. */
export function unwrapNode(checker: ts.TypeChecker, node: ts.TypeNode | undefined): ts.TypeNode | undefined {
  let at = node;
  // The limit is for invalid code, in which an alias refers directly to itself.
  for (let steps = 0; at !== undefined && steps < 100; steps++) {
    if (ts.isParenthesizedTypeNode(at)) at = at.type;
    else if (ts.isTypeOperatorNode(at) && at.operator === ts.SyntaxKind.ReadonlyKeyword) at = at.type;
    else {
      const declaration = aliasOf(checker, at)?.declarations?.find(ts.isTypeAliasDeclaration);
      if (declaration === undefined || declaration.typeParameters) return at;
      at = declaration.type;
    }
  }
  return at;
}

/** Returns the nodes of an array's element type, a tuple's elements or a reference's type arguments. */
export function argumentNodes(checker: ts.TypeChecker, node: ts.TypeNode | undefined): readonly ts.TypeNode[] {
  const written = unwrapNode(checker, node);
  if (written === undefined) return [];
  if (ts.isArrayTypeNode(written)) return [written.elementType];
  if (ts.isTupleTypeNode(written)) return written.elements;
  return ts.isTypeReferenceNode(written) ? (written.typeArguments ?? []) : [];
}

/**
 * Pairs a type with the node that declares it. If the type only adds undefined, as for an optional property, the type
 * of the node is better, because it keeps its name. A node of a different type, as in generic declarations, is dropped.
 */
export function asWritten(checker: ts.TypeChecker, given: ts.Type, node: ts.TypeNode | undefined): WrittenType {
  if (node === undefined) return { type: given, node: undefined };
  const written = checker.getTypeFromTypeNode(node);
  if (written === given) return { type: given, node };
  const members = unionMembers(written);
  const present = given.isUnion() ? given.types.filter((type) => !isAbsent(type)) : [given];
  const all = new Set(members);
  const isSame = present.length === members.length && present.every((type) => all.has(type));
  return isSame ? { type: written, node } : { type: given, node: undefined };
}

/**
 * Returns the members of a union in source order. The compiler orders them by where each type first occurs in the
 * program, so an edit of one function would reorder the values of another.
 */
export function orderedMembers(checker: ts.TypeChecker, union: ts.UnionType, node?: ts.TypeNode): WrittenType[] {
  const written = new Map<ts.Type, ts.TypeNode | undefined>();
  const declaration = union.aliasSymbol?.declarations?.find(ts.isTypeAliasDeclaration);
  if (declaration && !declaration.typeParameters) collectMembers(checker, declaration.type, written);
  if (node) collectMembers(checker, node, written);
  const ranks = ranksOf(written.keys());
  const sorted = sortMembers(union, (type) => ranks.get(type));
  return sorted.map((type) => ({ type, node: written.get(type) }));
}

function collectMembers(checker: ts.TypeChecker, node: ts.TypeNode, into: Map<ts.Type, ts.TypeNode | undefined>): void {
  const written = unwrapNode(checker, node);
  if (written === undefined) return;
  if (ts.isUnionTypeNode(written)) {
    for (const member of written.types) collectMembers(checker, member, into);
    return;
  }
  const type = checker.getTypeFromTypeNode(written);
  if (type.isUnion()) {
    for (const member of membersOf(checker, type, written)) if (!into.has(member)) into.set(member, undefined);
  } else if (!into.has(type)) {
    into.set(type, node);
  }
}

/** Returns the members of a union that the node does not list: of `keyof Type`, or of `Exclude<Union, …>`. */
function membersOf(checker: ts.TypeChecker, union: ts.UnionType, node: ts.TypeNode): ts.Type[] {
  const written = new Map<ts.Type, ts.TypeNode | undefined>();
  let names: string[] = [];
  if (ts.isTypeOperatorNode(node)) {
    names = checker.getPropertiesOfType(checker.getTypeFromTypeNode(node.type)).map(({ name }) => name);
  } else if (ts.isTypeReferenceNode(node)) {
    for (const argument of node.typeArguments ?? []) collectMembers(checker, argument, written);
  }
  const byName = ranksOf(names);
  const byType = ranksOf(written.keys());
  return sortMembers(union, (type) =>
    type.isStringLiteral() && names.length > 0 ? byName.get(type.value) : byType.get(type),
  );
}

/** Returns the position of each item. */
export function ranksOf<Item>(items: Iterable<Item>): ReadonlyMap<Item, number> {
  const ranks = new Map<Item, number>();
  for (const item of items) if (!ranks.has(item)) ranks.set(item, ranks.size);
  return ranks;
}

/** Sorts the members of a union by their rank; those without one come last. */
function sortMembers({ types }: ts.UnionType, rankOf: (type: ts.Type) => number | undefined): ts.Type[] {
  const ranked = types.map((type) => ({ type, rank: rankOf(type) ?? Number.MAX_SAFE_INTEGER }));
  return ranked.sort((a, b) => a.rank - b.rank || compareTypes(a.type, b.type)).map(({ type }) => type);
}

/** Orders members that do not appear in the source, independently of the rest of the program. */
function compareTypes(a: ts.Type, b: ts.Type): number {
  if (a.flags & b.flags & ts.TypeFlags.EnumLiteral) return positionOf(a) - positionOf(b);
  if (a.isNumberLiteral() && b.isNumberLiteral()) return a.value - b.value;
  if (a.isStringLiteral() && b.isStringLiteral()) return a.value < b.value ? -1 : 1;
  return positionOf(a) - positionOf(b) || a.flags - b.flags;
}

function positionOf(type: ts.Type): number {
  return type.symbol?.declarations?.[0]?.pos ?? -1;
}
