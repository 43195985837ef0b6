import ts from "typescript";
import type { Conversion } from "../model/conversion.ts";
import { hasJsonForm } from "./platform.ts";
import { isAbsent } from "./type-node.ts";

/** Types that mean any value, or a primitive one. Authors should write the primitive type instead. */
const WRAPPERS = new Set(["Object", "Function", "String", "Number", "Boolean", "BigInt", "Symbol"]);

/**
 * Whether no argument can have the type, because JSON has no such value: symbols, functions, and objects with methods,
 * such as the RegExp in `string | RegExp`.
 */
export function isOnlyInCode(conversion: Conversion, type: ts.Type): boolean {
  if (conversion.direction === "out") return false;
  let known = conversion.onlyInCode.get(type);
  if (known === undefined) {
    known = find(conversion, type, []);
    conversion.onlyInCode.set(type, known);
  }
  return known;
}

/** `within` are the types that contain this one. */
function find(conversion: Conversion, type: ts.Type, within: readonly ts.Type[]): boolean {
  const { checker, direction, codecs } = conversion;
  // A list of lists that contains itself can be empty.
  if (within.includes(type)) return false;
  const outer = [...within, type];
  if (type.flags & ts.TypeFlags.ESSymbolLike) return true;
  if (type.isUnion()) {
    const present = type.types.filter((member) => !isAbsent(member) && !(member.flags & ts.TypeFlags.Null));
    return present.length > 0 && present.every((member) => find(conversion, member, outer));
  }
  if (codecs.find(type, direction)) return false;
  // A brand has the methods of its primitive type, so only the parts count.
  if (type.isIntersection()) return type.types.some((part) => find(conversion, part, outer));
  if (!(type.flags & ts.TypeFlags.Object)) return false;
  const [element] = checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference) : [];
  if (element) return find(conversion, element, outer);
  if (isToJsonOnly(checker, type)) return true;
  if (isArrayOrPlatform(conversion, type)) return false;
  if (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0) return true;
  return checker.getPropertiesOfType(type).some((member) => {
    if (member.flags & ts.SymbolFlags.Optional) return false;
    return checker.getTypeOfSymbol(member).getCallSignatures().length > 0;
  });
}

/** Whether a type is `{ toJSON(): unknown }`, as in Prisma's InputJsonValue. JSON contains the value that it returned. */
function isToJsonOnly(checker: ts.TypeChecker, type: ts.Type): boolean {
  const [only, ...others] = checker.getPropertiesOfType(type);
  if (only?.name !== "toJSON" || others.length > 0) return false;
  return checker.getTypeOfSymbol(only).getCallSignatures().length > 0;
}

/** Whether a type is an array, or has or extends a class with a JSON form, although it has methods. */
function isArrayOrPlatform({ checker, origins }: Conversion, type: ts.Type): boolean {
  if (checker.isArrayLikeType(type)) return true;
  const declared = (type as ts.TypeReference).target ?? type;
  const bases = declared.isClassOrInterface() ? checker.getBaseTypes(declared) : [];
  return [type, ...bases].some(({ symbol }) => {
    return (
      symbol !== undefined && origins.isPlatform(symbol) && (hasJsonForm(symbol.name) || WRAPPERS.has(symbol.name))
    );
  });
}
