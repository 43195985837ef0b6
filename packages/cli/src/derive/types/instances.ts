import ts from "typescript";
import type { Conversion } from "./conversion.ts";
import { nameOf } from "./properties.ts";
import { isNamed } from "./type-node.ts";

/** How often the type arguments of one declaration may become larger on the way from a function to a type. */
const MAX_GROWTH = 50;

/** Deeper than any anonymous type argument written by hand. */
const MAX_NESTING = 100;

/** An instantiation of a declaration on the way from a function to a type. */
export interface Instance {
  /** The generic alias, interface, class or literal; undefined for a type without type arguments. */
  declaration: ts.Symbol | undefined;
  /** The instantiation whose members led to this one. */
  outer: Instance | undefined;
  type: ts.Type;
  /** The size of the largest type arguments of this declaration so far; measured when there is a second one. */
  weight: number | undefined;
  /** How often they became larger. */
  growth: number;
}

/**
 * Finds types that instantiate themselves with larger and larger type arguments, and so never end.
 *
 * The number of types is no measure: libraries have finite graphs with paths of thousands of types. But a graph that
 * never ends instantiates some declaration again and again, and its type arguments become larger without limit.
 */
export function createGrowth(checker: ts.TypeChecker) {
  const weights = new Map<ts.Type, number>();
  const endless = new Set<ts.Symbol>();
  /** Comparing the types of some libraries takes a second, so a few that differ are enough. */
  let attempts = 3;

  /** Returns the size of a type as it would be written, without the declarations that it names. */
  function weigh(type: ts.Type, nesting = 0): number {
    const known = weights.get(type);
    if (known !== undefined) return known;
    weights.set(type, 1);
    const literal = type.isStringLiteral() || type.isNumberLiteral() ? String(type.value) : "";
    const weight = nesting > MAX_NESTING ? 1 : 1 + literal.length + sum(partsOf(checker, type), nesting + 1);
    weights.set(type, weight);
    return weight;
  }

  function sum(types: readonly ts.Type[], nesting: number): number {
    return types.reduce((total, type) => total + weigh(type, nesting), 0);
  }

  return {
    /** Adds an instantiation to those that lead to it. */
    enter(type: ts.Type, outer: Instance | undefined): Instance {
      const declaration = declarationOf(checker, type);
      const instance: Instance = { declaration, type, outer, weight: undefined, growth: 0 };
      let before = declaration && outer;
      while (before !== undefined && before.declaration !== declaration) before = before.outer;
      if (declaration === undefined || before === undefined) return instance;
      // Once one path has no end, the others are not followed: their number doubles with each step.
      if (endless.has(declaration)) return { ...instance, growth: MAX_GROWTH };
      before.weight ??= weigh(before.type);
      const weight = weigh(type);
      const isLarger = weight > before.weight;
      const growth = before.growth + (isLarger ? 1 : 0);
      if (growth >= MAX_GROWTH) endless.add(declaration);
      return { ...instance, weight: isLarger ? weight : before.weight, growth };
    },
    isEndless: ({ growth }: Instance) => growth >= MAX_GROWTH,
    /**
     * Returns the earlier type of the same shape if the type arguments have become larger for the second time, as those of
     * mongodb's `Filter<T>`, which contains `Filter<WithId<T>>`: it is recursive rather than endless.
     */
    shapeBefore({ declaration, growth, outer, type }: Instance): ts.Type | undefined {
      if (growth < 2 || growth >= MAX_GROWTH || declaration === undefined || attempts <= 0) return undefined;
      let before = outer;
      while (before !== undefined && before.declaration !== declaration) before = before.outer;
      const isSame =
        before && checker.isTypeAssignableTo(type, before.type) && checker.isTypeAssignableTo(before.type, type);
      if (!isSame) attempts--;
      return isSame ? before?.type : undefined;
    },
  };
}

/** Returns the declaration that a type instantiates. */
function declarationOf(checker: ts.TypeChecker, type: ts.Type): ts.Symbol | undefined {
  if (type.aliasTypeArguments?.length) return type.aliasSymbol;
  return typeArguments(checker, type).length > 0 || isInstantiated(type) ? type.symbol : undefined;
}

/** Whether a type is an object literal or a mapped type within a generic declaration. */
function isInstantiated(type: ts.Type): boolean {
  return (
    (type.flags & ts.TypeFlags.Object) !== 0 &&
    ((type as ts.ObjectType).objectFlags & (ts.ObjectFlags.Instantiated | ts.ObjectFlags.Mapped)) !== 0
  );
}

function partsOf(checker: ts.TypeChecker, type: ts.Type): readonly ts.Type[] {
  if (type.aliasTypeArguments?.length) return type.aliasTypeArguments;
  if (type.isUnionOrIntersection()) return type.types;
  const given = typeArguments(checker, type);
  if (given.length > 0) return given;
  return isInstantiated(type) ? checker.getPropertiesOfType(type).map((part) => checker.getTypeOfSymbol(part)) : [];
}

/** The limits of a name, which appears at each use of the definition. */
const MAX_LENGTH = 60;
const MAX_NAME_NESTING = 3;

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
  const name = alias?.name ?? (isNamed(type) ? symbol.name : undefined);
  if (name === undefined || nesting > MAX_NAME_NESTING) return undefined;
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
function typeArguments(checker: ts.TypeChecker, type: ts.Type): readonly ts.Type[] {
  if (!(type.flags & ts.TypeFlags.Object) || !((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference))
    return [];
  const { target } = type as ts.TypeReference;
  const given = checker.getTypeArguments(type as ts.TypeReference);
  return checker.isTupleType(type) ? given : given.slice(0, target.typeParameters?.length ?? 0);
}
