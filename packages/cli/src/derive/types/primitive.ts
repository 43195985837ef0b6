import { patternProblem } from "proffer/derived";
import ts from "typescript";
import { constantValue } from "../comments/literal-grammars.ts";
import { type DerivedSchema, enumSchema, type Json } from "../model/json-schema.ts";
import type { Conversion, Converted } from "./conversion.ts";
import { anything } from "./outward.ts";

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
    return { schema: { type: "string", const: bigintText(type) }, plan: { kind: "bigint" } };
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

/**
 * Evaluates a constant expression: literals, constants, enum members, and arrays and objects of them. A bigint becomes
 * its JSON form, a string. Undefined for any other expression.
 */
export function constantOf(checker: ts.TypeChecker, expression: ts.Expression): Json | undefined {
  return constantValue(expression, (node) => {
    const isWrapped = ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node);
    if (isWrapped) return constantOf(checker, node.expression);
    const type = checker.getTypeAtLocation(node);
    return type.flags & ts.TypeFlags.BigIntLiteral ? bigintText(type) : literalValue(type);
  });
}

function bigintText(type: ts.Type): string {
  const { negative, base10Value } = (type as ts.BigIntLiteralType).value;
  return `${negative ? "-" : ""}${base10Value}`;
}

/** Reports that an input schema accepts values that the type does not. A looser output schema does no harm. */
export function reportLoose(conversion: Conversion, accepted: string): void {
  if (conversion.direction === "out") return;
  conversion.report(
    "PF2020",
    `${conversion.subject}: JSON Schema cannot express this type exactly, so the schema accepts ${accepted}. Check the value in the function, or use a simpler type.`,
  );
}

const BASED = "0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)";

/** The texts that TypeScript accepts for `${number}`, except those with spaces around the number. */
const NUMBER = `(?:[+-]?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?|${BASED})`;
const BIGINT = `-?(?:0|[1-9][0-9]*|${BASED})`;

/** Characters that a mapping would change. The properties agree with toUpperCase and toLowerCase for each character. */
const CHANGED: Readonly<Record<string, string>> = {
  Uppercase: "\\p{CWU}",
  Lowercase: "\\p{CWL}",
  Capitalize: "\\p{CWU}",
  Uncapitalize: "\\p{CWL}",
};

/** JavaScript changes the first UTF-16 unit only, which is half of such a character. */
const ASTRAL = "\\u{10000}-\\u{10FFFF}";

/**
 * Returns the pattern of a template literal type, or of `Uppercase<string>` and its siblings; undefined for any string.
 * `isLoose`: the pattern accepts strings that the type does not.
 */
function patternOfString(type: ts.TemplateLiteralType | ts.StringMappingType) {
  if (type.flags & ts.TypeFlags.StringMapping) {
    const mapping = type as ts.StringMappingType;
    return { pattern: `^${mappedPattern(mapping)}$`, isLoose: isNested(mapping) };
  }
  const { texts, types } = type as ts.TemplateLiteralType;
  const pattern = `^${templatePattern(type as ts.TemplateLiteralType)}$`;
  if (patternProblem(pattern) !== undefined) {
    const [start, end] = [escaped(texts[0] ?? ""), escaped(texts.at(-1) ?? "")];
    return { pattern: start || end ? `^${start}[\\s\\S]*${end}$` : undefined, isLoose: true };
  }
  return { pattern, isLoose: types.some(isNested) };
}

/**
 * Writes a template as TypeScript matches it: a placeholder ends at the first occurrence of the text after it, and is
 * one character long if another placeholder follows directly. So each text can match in only one way.
 */
function templatePattern({ texts, types }: ts.TemplateLiteralType): string {
  let pattern = escaped(texts[0] ?? "");
  for (const [index, type] of types.entries()) {
    const next = texts[index + 1] ?? "";
    const isLast = index === types.length - 1;
    pattern += isLast ? holePattern(type) : next === "" ? singlePattern(type) : holePattern(type, next);
    pattern += escaped(next);
  }
  return pattern;
}

/** Returns the pattern of a placeholder. `end` is the text that ends it. */
function holePattern(type: ts.Type, end = ""): string {
  if (type.flags & ts.TypeFlags.Number) return NUMBER;
  if (type.flags & ts.TypeFlags.BigInt) return BIGINT;
  if (type.flags & ts.TypeFlags.TemplateLiteral) return templatePattern(type as ts.TemplateLiteralType);
  const stop = [...end].length === 1 ? end : "";
  if (type.flags & ts.TypeFlags.StringMapping) return mappedPattern(type as ts.StringMappingType, stop);
  return stop === "" ? "[\\s\\S]*" : `[^${escapedInClass(stop)}]*`;
}

function singlePattern(type: ts.Type): string {
  if (type.flags & (ts.TypeFlags.Number | ts.TypeFlags.BigInt)) return "[0-9]";
  if (type.flags & ts.TypeFlags.StringMapping) return `[^${CHANGED[type.symbol.name]}]`;
  return "[\\s\\S]";
}

/** Returns the pattern of a string that the mapping does not change, without the character `stop`. */
function mappedPattern(type: ts.StringMappingType, stop = ""): string {
  const { name } = type.symbol;
  const changed = CHANGED[name];
  const excluded = escapedInClass(stop);
  if (name === "Uppercase" || name === "Lowercase") return `[^${changed}${excluded}]*`;
  const rest = excluded === "" ? "[\\s\\S]*" : `[^${excluded}]*`;
  return `(?:(?:[^${changed}${excluded}]|[${ASTRAL}])${rest})?`;
}

/** Whether a mapping has an argument that the pattern does not express, as in `Uppercase<Capitalize<string>>`. */
function isNested(type: ts.Type): boolean {
  if (!(type.flags & ts.TypeFlags.StringMapping)) return false;
  return !((type as ts.StringMappingType).type.flags & ts.TypeFlags.String);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/** Escapes a character for the end of a character class, where a hyphen needs no escape. */
function escapedInClass(text: string): string {
  return text.replace(/[\\^\][]/g, "\\$&");
}
