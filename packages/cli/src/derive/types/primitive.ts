import ts from "typescript";
import type { Conversion, Converted } from "../model/conversion.ts";
import { type DerivedSchema, enumSchema } from "../model/json-schema.ts";

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
  if (flags & ts.TypeFlags.TemplateLiteral) {
    return { schema: { type: "string", pattern: templatePattern(type as ts.TemplateLiteralType) } };
  }
  if (flags & ts.TypeFlags.StringLike) return { schema: { type: "string" } };
  if (flags & ts.TypeFlags.NumberLike) return { schema: { type: "number" } };
  if (flags & ts.TypeFlags.BooleanLike) return { schema: { type: "boolean" } };
  if (flags & ts.TypeFlags.NonPrimitive) return { schema: { type: "object" } };
  if (flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined | ts.TypeFlags.Void)) return { schema: { type: "null" } };
  if (flags & ts.TypeFlags.Never) return { schema: { not: {} } };
  if (flags & ts.TypeFlags.ESSymbolLike) {
    conversion.report("PF1103", `${conversion.subject} is a symbol, which JSON cannot represent. Use a string.`);
  }
  return { schema: {} };
}

function templatePattern({ texts, types }: ts.TemplateLiteralType): string {
  let pattern = "";
  for (const [index, text] of texts.entries()) {
    pattern += text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    const hole = types[index];
    if (hole) pattern += holePattern(hole);
  }
  return `^${pattern}$`;
}

function holePattern(type: ts.Type): string {
  if (type.flags & ts.TypeFlags.Number) return "-?[0-9]+(?:\\.[0-9]+)?(?:e[+-]?[0-9]+)?";
  if (type.flags & ts.TypeFlags.BigInt) return "-?[0-9]+";
  if (type.flags & ts.TypeFlags.TemplateLiteral) return templatePattern(type as ts.TemplateLiteralType).slice(1, -1);
  return "[\\s\\S]*";
}
