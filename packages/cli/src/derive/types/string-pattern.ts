import { patternDegree } from "proffer/derived";
import ts from "typescript";

/** A pattern for the strings of a type. */
export interface StringPattern {
  /** Undefined for any string. */
  pattern: string | undefined;
  /** The pattern accepts strings that the type does not. */
  isLoose: boolean;
}

/** The highest degree that the run-time accepts; a pattern above it could stall the server on a hostile text. */
const MAX_DEGREE = 2;

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

/** Returns the pattern of a template literal type, or of `Uppercase<string>` and its siblings. */
export function patternOfString(type: ts.TemplateLiteralType | ts.StringMappingType): StringPattern {
  if (type.flags & ts.TypeFlags.StringMapping) {
    const mapping = type as ts.StringMappingType;
    return { pattern: `^${mappedPattern(mapping)}$`, isLoose: isNested(mapping) };
  }
  const { texts, types } = type as ts.TemplateLiteralType;
  const pattern = `^${templatePattern(type as ts.TemplateLiteralType)}$`;
  if (patternDegree(pattern) > MAX_DEGREE) {
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
