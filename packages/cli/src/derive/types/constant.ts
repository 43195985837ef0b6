import ts from "typescript";
import type { Json } from "../model/json-schema.ts";
import { literalValue } from "./primitive.ts";

/**
 * Evaluates a constant expression: literals, constants, enum members, and arrays and objects of them. A bigint becomes
 * its JSON form, a string. Undefined for any other expression.
 */
export function constantOf(checker: ts.TypeChecker, expression: ts.Expression): Json | undefined {
  if (
    ts.isParenthesizedExpression(expression) ||
    ts.isAsExpression(expression) ||
    ts.isSatisfiesExpression(expression)
  ) {
    return constantOf(checker, expression.expression);
  }
  if (expression.kind === ts.SyntaxKind.NullKeyword) return null;
  if (ts.isArrayLiteralExpression(expression)) return arrayOf(checker, expression);
  if (ts.isObjectLiteralExpression(expression)) return objectOf(checker, expression);
  const type = checker.getTypeAtLocation(expression);
  if (type.flags & ts.TypeFlags.BigIntLiteral) {
    const { negative, base10Value } = (type as ts.BigIntLiteralType).value;
    return `${negative ? "-" : ""}${base10Value}`;
  }
  return literalValue(type);
}

function arrayOf(checker: ts.TypeChecker, { elements }: ts.ArrayLiteralExpression): Json | undefined {
  const items: Json[] = [];
  for (const element of elements) {
    const item = ts.isSpreadElement(element) ? undefined : constantOf(checker, element);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items;
}

function objectOf(checker: ts.TypeChecker, { properties }: ts.ObjectLiteralExpression): Json | undefined {
  const entries: [string, Json][] = [];
  for (const property of properties) {
    if (!ts.isPropertyAssignment(property)) return undefined;
    const { name } = property;
    const value = constantOf(checker, property.initializer);
    if (value === undefined || !(ts.isIdentifier(name) || ts.isStringLiteral(name) || ts.isNumericLiteral(name))) {
      return undefined;
    }
    entries.push([name.text, value]);
  }
  return Object.fromEntries(entries);
}
