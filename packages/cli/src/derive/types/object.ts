import ts from "typescript";
import { isContext } from "../program/origin.ts";
import { type Conversion, type Converted, listOf } from "./conversion.ts";
import { asInstance, convertCustom } from "./custom-codecs.ts";
import { labelOf } from "./instances.ts";
import { anything, convertOutward } from "./outward.ts";
import { convertMap, convertPlatform, convertSet, convertText, JSON_FORMS, mapJson } from "./platform.ts";
import { convertProperties } from "./properties.ts";
import { convertTuple } from "./tuple.ts";
import { argumentNodes, type WrittenType } from "./type-node.ts";

/** Types that can carry a brand: the value has this type; the rest of the intersection exists only at compile time. */
const BRANDABLE =
  ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike | ts.TypeFlags.BooleanLike | ts.TypeFlags.BigIntLike;

/** Converts any object type: arrays, platform classes, intersections and interfaces. */
export function convertObject(conversion: Conversion, type: ts.Type, node: ts.TypeNode | undefined): Converted {
  const { checker, origins, subject } = conversion;
  const custom = convertCustom(conversion, type);
  if (custom) return custom;
  if (checker.isArrayType(type)) return convertArray(conversion, type as ts.TypeReference, node);
  if (checker.isTupleType(type)) {
    return conversion.enter(type, "array", () => convertTuple(conversion, type as ts.TupleTypeReference, node));
  }
  const branded = type.isIntersection() ? type.types.find((part) => isBrandable(conversion, part)) : undefined;
  if (branded) return conversion.convert(branded);
  // A subclass of Date is a date, although it also has toJSON.
  const special =
    convertPlatform(conversion, type, node) ?? convertSubtype(conversion, type) ?? convertOutward(conversion, type);
  if (special) return special;
  if (isContext(origins, type)) {
    conversion.report("PF1109", `${subject} is the Context, which is not data. Declare it as a separate parameter.`);
    return { schema: {} };
  }
  if (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0) {
    conversion.report(
      "PF1102",
      `${subject} is a function, which JSON cannot represent. Remove it, or exclude it with Omit.`,
    );
    return { schema: {} };
  }
  return conversion.define(type, labelOf(conversion, type), "object", () =>
    asInstance(conversion, type, convertProperties(conversion, type, node)),
  );
}

function convertArray(conversion: Conversion, type: ts.TypeReference, node: ts.TypeNode | undefined): Converted {
  const { checker, subject } = conversion;
  return conversion.enter(type, "array", () => {
    const item = checker.getTypeArguments(type)[0] ?? checker.getUnknownType();
    if (!subject.startsWith("an item of")) conversion.subject = `an item of ${subject}`;
    const list = listOf(conversion.convertElement(item, argumentNodes(checker, node)[0]));
    conversion.subject = subject;
    return list;
  });
}

function isBrandable({ checker, origins }: Conversion, type: ts.Type): boolean {
  if (type.flags & BRANDABLE || checker.isArrayLikeType(type)) return true;
  return type.symbol !== undefined && origins.isPlatform(type.symbol) && JSON_FORMS.has(type.symbol.name);
}

/** The array or platform class that a type extends. */
interface Base {
  type: ts.Type;
  name: string;
  /** The type is a class, or extends one below the platform's. */
  isClass: boolean;
}

/**
 * Converts an interface or a class that extends an array, a tuple, a Map, a Set, a Date, a URL or bytes, or is like an
 * array, in the form of its base: `JSON.stringify` writes only the elements of a list, and decoding creates an instance of the base. Undefined
 * for any other type.
 */
function convertSubtype(conversion: Conversion, type: ts.Type): Converted | undefined {
  const base = findBase(conversion, type);
  if (base === undefined) {
    return isList(conversion, type)
      ? conversion.enter(type, "array", () => convertArrayLike(conversion, type))
      : undefined;
  }
  if (conversion.direction === "in" && !canReplace(conversion, type, base)) return { schema: {} };
  const { schema, plan } = convertAs(conversion, type, base);
  const isOwn = type.symbol && !conversion.origins.isPlatform(type.symbol);
  return { schema: isOwn ? conversion.document(schema, type.symbol) : schema, ...(plan && { plan }) };
}

function convertAs(conversion: Conversion, type: ts.Type, base: Base): Converted {
  const { checker } = conversion;
  if (checker.isTupleType(base.type)) return conversion.convert(base.type);
  if (checker.isArrayType(base.type)) return conversion.enter(type, "array", () => convertList(conversion, type));
  const text = convertText(base.name);
  if (text) return text;
  const [value, key] = forEachTypes(checker, type);
  return base.name.endsWith("Set")
    ? conversion.enter(type, "array", () => convertSet(conversion, value))
    : conversion.enter(type, mapJson(key.type), () => convertMap(conversion, key, value));
}

function convertList(conversion: Conversion, type: ts.Type): Converted {
  const { checker } = conversion;
  const item = checker.getIndexTypeOfType(type, ts.IndexKind.Number) ?? checker.getUnknownType();
  const { schema, plan } = listOf(conversion.convertElement(item));
  // RegExpMatchArray and similar types declare elements that always exist.
  let minItems = 0;
  const isRequired = (symbol?: ts.Symbol) => symbol !== undefined && !(symbol.flags & ts.SymbolFlags.Optional);
  while (isRequired(checker.getPropertyOfType(type, String(minItems)))) minItems++;
  return { schema: { ...schema, ...(minItems > 0 && { minItems }) }, ...(plan && { plan }) };
}

/** In a result, its value may be a typed array, which the run-time writes by its class. */
function convertArrayLike(conversion: Conversion, type: ts.Type): Converted {
  const { schema, plan } = convertList(conversion, type);
  const own = plan ?? anything(conversion).plan;
  return { schema, ...(own && { plan: own }) };
}

/** Whether a type is like ArrayLike: it has a length and elements by number, and every array has it. */
function isList({ checker }: Conversion, type: ts.Type): boolean {
  if (checker.getIndexTypeOfType(type, ts.IndexKind.Number) === undefined) return false;
  if (checker.getIndexTypeOfType(type, ts.IndexKind.String) !== undefined) return false;
  const [only, ...others] = checker.getPropertiesOfType(type).filter(({ name }) => !name.startsWith("__@"));
  return only?.name === "length" && others.length === 0;
}

/** Finds the base of an interface or a class. An array or a platform class is not a subtype of itself. */
function findBase({ checker, origins }: Conversion, type: ts.Type): Base | undefined {
  const seen = new Set<ts.Type>();
  function search(at: ts.Type, isClass: boolean): Base | undefined {
    const declared = (at as ts.TypeReference).target ?? at;
    if (seen.has(declared) || !declared.isClassOrInterface()) return undefined;
    seen.add(declared);
    const own = isClass || (declared.isClass() && !origins.isPlatform(declared.symbol));
    for (const base of checker.getBaseTypes(declared).flatMap((each) => (each.isIntersection() ? each.types : each))) {
      const name = base.symbol?.name ?? "";
      const isPlatform = base.symbol !== undefined && origins.isPlatform(base.symbol) && JSON_FORMS.has(name);
      if (isPlatform || checker.isArrayType(base) || checker.isTupleType(base)) {
        return { type: base, name: name || "a tuple", isClass: own };
      }
      const found = search(base, own);
      if (found) return found;
    }
    return undefined;
  }
  return search(type, false);
}

/** Whether an instance of the base has the type, so that an argument can be decoded. Reports PF1105 otherwise. */
function canReplace(conversion: Conversion, type: ts.Type, base: Base): boolean {
  const { checker, subject } = conversion;
  const written = checker.typeToString(type);
  // A class that adds nothing, such as the NativeDate of mongoose.
  if (base.isClass && !checker.isTypeAssignableTo(base.type, type)) {
    conversion.report(
      "PF1105",
      `${subject} has the type '${written}', a class that extends ${base.name}. A client cannot send an instance of it. Use ${base.name}.`,
    );
    return false;
  }
  const more = checker.getPropertiesOfType(type).filter(({ name, flags }) => {
    if (flags & ts.SymbolFlags.Optional || name.startsWith("__@") || /^\d+$/.test(name)) return false;
    return checker.getPropertyOfType(base.type, name) === undefined;
  });
  if (more.length === 0) return true;
  const names = more.map(({ name }) => name).join(", ");
  conversion.report(
    "PF1105",
    `${subject} has the type '${written}', which adds ${names} to ${base.name}. A client cannot send them. Use ${base.name}, or an object that contains it.`,
  );
  return false;
}

/** Returns the value and key types of a Map or Set from its forEach, which the compiler has instantiated. */
function forEachTypes(checker: ts.TypeChecker, type: ts.Type): [value: WrittenType, key: WrittenType] {
  const typeOf = (symbol: ts.Symbol | undefined) => symbol && checker.getTypeOfSymbol(symbol);
  const callback = typeOf(checker.getPropertyOfType(type, "forEach"))?.getCallSignatures()[0]?.parameters[0];
  const [value, key] = typeOf(callback)?.getCallSignatures()[0]?.parameters ?? [];
  const written = (symbol: ts.Symbol | undefined): WrittenType => {
    return { type: typeOf(symbol) ?? checker.getUnknownType(), node: undefined };
  };
  return [written(value), written(key)];
}
