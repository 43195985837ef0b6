import ts from "typescript";
import { typeArguments } from "./instance-name.ts";

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

/** Finds types that instantiate themselves with larger and larger type arguments, and so never end. */
export interface Growth {
  /** Adds an instantiation to those that lead to it. */
  enter(type: ts.Type, outer: Instance | undefined): Instance;
  isEndless(instance: Instance): boolean;
}

/**
 * The number of types is no measure: libraries have finite graphs with paths of thousands of types. But a graph that
 * never ends instantiates some declaration again and again, and its type arguments become larger without limit.
 */
export function createGrowth(checker: ts.TypeChecker): Growth {
  const weights = new Map<ts.Type, number>();
  const endless = new Set<ts.Symbol>();

  /** Returns the size of a type as it would be written, without the declarations that it names. */
  function weigh(type: ts.Type, nesting = 0): number {
    const known = weights.get(type);
    if (known !== undefined) return known;
    weights.set(type, 1);
    const weight = nesting > MAX_NESTING ? 1 : 1 + literalLength(type) + sum(partsOf(checker, type), nesting + 1);
    weights.set(type, weight);
    return weight;
  }

  function sum(types: readonly ts.Type[], nesting: number): number {
    return types.reduce((total, type) => total + weigh(type, nesting), 0);
  }

  return {
    enter(type, outer) {
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
    isEndless: ({ growth }) => growth >= MAX_GROWTH,
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

function literalLength(type: ts.Type): number {
  return type.isStringLiteral() ? type.value.length : type.isNumberLiteral() ? String(type.value).length : 0;
}
