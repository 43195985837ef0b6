import ts from "typescript";
import { argumentNodes, orderedMembers, ranksOf, unwrapNode } from "./type-node.ts";

/**
 * Returns the properties of a type in source order. The compiler orders those of a mapped type by where each key first
 * occurs in the program, so an edit of one function would reorder the schema of another.
 */
export function orderedProperties(
  checker: ts.TypeChecker,
  type: ts.Type,
  node: ts.TypeNode | undefined,
): readonly ts.Symbol[] {
  const members = checker.getPropertiesOfType(type);
  if (type.isIntersection()) {
    const names = type.types.flatMap((part) => orderedProperties(checker, part, undefined).map(({ name }) => name));
    return sorted(members, ranksOf(names));
  }
  const mapped = mappedNode(type);
  if (mapped === undefined) return members;
  if (members.every(({ declarations }) => declarations?.[0])) return byDeclaration(members);
  const keys = keyNames(checker, node ?? mapped);
  // For the keys of another type, the compiler has the order of that type.
  if (keys.length === 0 && mapped.typeParameter.constraint && isKeyof(mapped.typeParameter.constraint)) return members;
  return sorted(members, ranksOf(keys), (a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function mappedNode(type: ts.Type): ts.MappedTypeNode | undefined {
  return type.symbol?.declarations?.find(ts.isMappedTypeNode);
}

function isKeyof(node: ts.TypeNode): boolean {
  return ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.KeyOfKeyword;
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
