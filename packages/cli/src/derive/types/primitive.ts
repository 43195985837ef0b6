import ts from "typescript";
import type { Conversion, Converted } from "../model/conversion.ts";
import { type DerivedSchema, enumSchema } from "../model/json-schema.ts";
import { reportLoose } from "./loose.ts";
import { anything } from "./outward.ts";
import { patternOfString } from "./string-pattern.ts";

/** The schema of a bigint, which a JSON number cannot represent exactly. */
const DECIMAL: DerivedSchema = { type: "string", pattern: "^-?[0-9]+$" };

/** Returns the value of a string, number or boolean literal type. */
export function literalValue(type: ts.Type): string | number | boolean | undefined {
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
  if (!(type.flags & ts.TypeFlags.BooleanLiteral)) return undefined;
  return (type as ts.Type & { intrinsicName: string }).intrinsicName === "true";
}

/** Converts a primitive type. */
export function convertPrimitive(conversion: Conversion, type: ts.Type): Converted {
  const { flags } = type;
  const literal = literalValue(type);
  if (literal !== undefined) return { schema: enumSchema([literal]) };
  if (flags & ts.TypeFlags.BigIntLiteral) {
    const { negative, base10Value } = (type as ts.BigIntLiteralType).value;
    return { schema: { type: "string", const: `${negative ? "-" : ""}${base10Value}` }, plan: { kind: "bigint" } };
  }
  if (flags & ts.TypeFlags.BigIntLike) return { schema: { ...DECIMAL }, plan: { kind: "bigint" } };
  if (flags & (ts.TypeFlags.TemplateLiteral | ts.TypeFlags.StringMapping)) {
    const { pattern, isLoose } = patternOfString(type as ts.TemplateLiteralType | ts.StringMappingType);
    if (isLoose) reportLoose(conversion, `strings that ${conversion.checker.typeToString(type)} does not allow`);
    return { schema: { type: "string", ...(pattern && { pattern }) } };
  }
  if (flags & ts.TypeFlags.StringLike) return { schema: { type: "string" } };
  if (flags & ts.TypeFlags.NumberLike) return { schema: { type: "number" } };
  if (flags & ts.TypeFlags.BooleanLike) return { schema: { type: "boolean" } };
  // An array is an object too, and a Date is a string in JSON.
  if (flags & ts.TypeFlags.NonPrimitive && conversion.direction === "in") return { schema: { type: "object" } };
  if (flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined | ts.TypeFlags.Void)) return { schema: { type: "null" } };
  if (flags & ts.TypeFlags.Never) return { schema: { not: {} } };
  if (flags & ts.TypeFlags.ESSymbolLike) {
    conversion.report("PF1103", `${conversion.subject} is a symbol, which JSON cannot represent. Use a string.`);
  }
  return anything(conversion);
}
