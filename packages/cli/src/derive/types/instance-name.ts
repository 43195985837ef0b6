import ts from "typescript";
import type { Conversion } from "../model/conversion.ts";
import { nameOf } from "./properties.ts";

/** The limits of a name, which appears at each use of the definition. */
const MAX_LENGTH = 60;
const MAX_NESTING = 3;

/** Returns the author's name of a type, with its type arguments; undefined for an anonymous type. */
export function labelOf(conversion: Conversion, type: ts.Type): string | undefined {
  const { name } = nameOf(conversion.origins.isPlatform, type) ?? {};
  return name && (instanceName(conversion, type) ?? name);
}

/** Returns the name of a type and of its type arguments: `PartialOrder` for `Partial<Order>`. */
export function instanceName({ checker }: Conversion, type: ts.Type): string | undefined {
  return nameWithArguments(checker, type, 0)?.slice(0, MAX_LENGTH);
}

function nameWithArguments(checker: ts.TypeChecker, type: ts.Type, nesting: number): string | undefined {
  const { aliasSymbol: alias, aliasTypeArguments, symbol } = type;
  if (alias === undefined && checker.isArrayType(type)) return undefined;
  const isNamed = symbol !== undefined && (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) !== 0;
  const name = alias?.name ?? (isNamed ? symbol.name : undefined);
  if (name === undefined || nesting > MAX_NESTING) return undefined;
  const given = alias ? (aliasTypeArguments ?? []) : typeArguments(checker, type);
  return [name, ...given.map((argument) => argumentName(checker, argument, nesting + 1))].join("");
}

/** Returns the part of a name for a type argument. Keys and other literals have none. */
function argumentName(checker: ts.TypeChecker, type: ts.Type, nesting: number): string {
  if (type.flags & (ts.TypeFlags.String | ts.TypeFlags.Number | ts.TypeFlags.Boolean)) {
    const name = checker.typeToString(type);
    return name.charAt(0).toUpperCase() + name.slice(1);
  }
  return nameWithArguments(checker, type, nesting) ?? "";
}

/** Returns the type arguments of a reference, without the `this` type that the compiler appends to some. */
export function typeArguments(checker: ts.TypeChecker, type: ts.Type): readonly ts.Type[] {
  if (!(type.flags & ts.TypeFlags.Object) || !((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference))
    return [];
  const { target } = type as ts.TypeReference;
  const given = checker.getTypeArguments(type as ts.TypeReference);
  return checker.isTupleType(type) ? given : given.slice(0, target.typeParameters?.length ?? 0);
}
