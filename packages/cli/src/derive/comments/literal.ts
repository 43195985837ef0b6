import ts from "typescript";
import { type DerivedSchema, type Json, typesOf } from "../model/json-schema.ts";

/** A value in a text, or `absent` for `undefined`. */
export type Literal = { readonly value: Json } | "absent";

/**
 * Reads a text that is one literal of JavaScript, such as `10_000`, `'a'` or `{ a: [1] }`. Undefined for any other text,
 * also for other expressions. A bigint becomes its JSON form, a string.
 */
export function readLiteral(text: string): Literal | undefined {
  const file = ts.createSourceFile("literal.ts", `(${text}\n)`, ts.ScriptTarget.Latest);
  const { parseDiagnostics } = file as ts.SourceFile & { parseDiagnostics: readonly unknown[] };
  const [statement] = file.statements;
  if (parseDiagnostics.length > 0 || file.statements.length !== 1 || statement === undefined) return undefined;
  if (!ts.isExpressionStatement(statement) || !ts.isParenthesizedExpression(statement.expression)) return undefined;
  const { expression } = statement.expression;
  if (ts.isIdentifier(expression) && expression.text === "undefined") return "absent";
  const value = evaluate(expression);
  return value === undefined ? undefined : { value };
}

function evaluate(node: ts.Expression): Json | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isBigIntLiteral(node)) return node.text.slice(0, -1);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) {
    const value = evaluate(node.operand);
    return typeof value === "number" ? -value : undefined;
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return true;
  if (node.kind === ts.SyntaxKind.FalseKeyword) return false;
  if (node.kind === ts.SyntaxKind.NullKeyword) return null;
  if (ts.isArrayLiteralExpression(node)) {
    const items = node.elements.map(evaluate);
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  return ts.isObjectLiteralExpression(node) ? evaluateObject(node) : undefined;
}

function evaluateObject({ properties }: ts.ObjectLiteralExpression): Json | undefined {
  const entries: [string, Json][] = [];
  for (const property of properties) {
    if (!ts.isPropertyAssignment(property)) return undefined;
    const { name, initializer } = property;
    const value = evaluate(initializer);
    if (value === undefined || !(ts.isIdentifier(name) || ts.isStringLiteral(name))) return undefined;
    entries.push([name.text, value]);
  }
  return Object.fromEntries(entries);
}

/** Whether a value has the type, and is one of the values, that a schema allows. Other constraints are not checked. */
export function fits(schema: DerivedSchema, value: Json): boolean {
  const { const: only, enum: values, items } = schema;
  const members = schema.anyOf ?? schema.oneOf;
  if (members) return members.some((member) => fits(member, value));
  if (only !== undefined) return only === value;
  if (values && !values.includes(value)) return false;
  if (Array.isArray(value) && items && !value.every((item) => fits(items, item))) return false;
  const types = typesOf(schema);
  if (types === undefined) return true;
  if (value === null) return types.has("null");
  if (Array.isArray(value)) return types.has("array");
  if (typeof value === "number") return types.has("number") || (types.has("integer") && Number.isInteger(value));
  return types.has(typeof value as "string" | "boolean" | "object");
}

/** Returns the member of a closed set of values that a text names without quotes. */
export function namedValue(schema: DerivedSchema, text: string): Json | undefined {
  const { const: only, enum: values, anyOf, oneOf } = schema;
  const own = (only === undefined ? values : [only])?.find((value) => String(value) === text);
  if (own !== undefined) return own;
  for (const member of anyOf ?? oneOf ?? []) {
    const found = namedValue(member, text);
    if (found !== undefined) return found;
  }
  return undefined;
}
