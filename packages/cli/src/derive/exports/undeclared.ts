import ts from "typescript";
import { contentKindOf } from "../program/origin.ts";
import { JSON_FORMS } from "../types/platform.ts";
import type { Analysis } from "./analysis.ts";
import type { Candidate } from "./exports.ts";
import { bodyOf, functionOf, returnsData } from "./function-body.ts";

/** How many functions and constants are followed from a returned expression. */
const MAX_STEPS = 5;

/**
 * Whether a result of a function may have properties that its return type does not have, as the row of a database has: a
 * type says what an object has at least. An object that the function itself creates has no others.
 */
export function mayReturnMore(analysis: Analysis, { signature }: Candidate): boolean {
  return returnsData(analysis, signature) && !createsResult(analysis, bodyOf(signature), MAX_STEPS);
}

/** Whether a function creates all objects that it returns, from literals. */
function createsResult(analysis: Analysis, body: ts.Node | undefined, steps: number): boolean {
  if (body === undefined || steps === 0) return false;
  if (!ts.isBlock(body)) return isCreated(analysis, body as ts.Expression, steps);
  const returned: ts.Expression[] = [];
  function visit(node: ts.Node): void {
    // Those of a function inside are its own.
    if (ts.isFunctionLike(node)) return;
    const { expression } = node as { expression?: ts.Expression };
    if ((ts.isReturnStatement(node) || ts.isYieldExpression(node)) && expression) returned.push(expression);
    ts.forEachChild(node, visit);
  }
  visit(body);
  return returned.every((each) => isCreated(analysis, each, steps));
}

/** Whether an expression is plain, or an object or a list that is created here. */
function isCreated(analysis: Analysis, node: ts.Expression, steps: number): boolean {
  const { checker } = analysis;
  const created = (inner: ts.Expression) => isCreated(analysis, inner, steps);
  if (isPlain(analysis, checker.getTypeAtLocation(node))) return true;
  if (isWrapper(node)) return created(node.expression);
  if (ts.isObjectLiteralExpression(node))
    return node.properties.every((each) => isCreatedMember(analysis, each, steps));
  if (ts.isArrayLiteralExpression(node)) return node.elements.every(created);
  if (ts.isConditionalExpression(node)) return created(node.whenTrue) && created(node.whenFalse);
  if (ts.isBinaryExpression(node) && /^(?:\?\?|\|\||&&)$/.test(node.operatorToken.getText()))
    return created(node.left) && created(node.right);
  if (ts.isCallExpression(node)) return isCreatedByCall(analysis, node, steps);
  const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
  const declaration = symbol?.valueDeclaration;
  const isConstant = declaration && ts.isVariableDeclaration(declaration) && declaration.initializer;
  return isConstant && steps > 0 && (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) !== 0
    ? isCreated(analysis, isConstant, steps - 1)
    : false;
}

function isWrapper(node: ts.Expression): node is ts.ParenthesizedExpression | ts.AsExpression | ts.AwaitExpression {
  return (
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isAwaitExpression(node) ||
    ts.isSpreadElement(node)
  );
}

function isCreatedMember(analysis: Analysis, member: ts.ObjectLiteralElementLike, steps: number): boolean {
  if (ts.isPropertyAssignment(member)) return isCreated(analysis, member.initializer, steps);
  if (ts.isSpreadAssignment(member)) return isCreated(analysis, member.expression, steps);
  return !ts.isShorthandPropertyAssignment(member) || isCreated(analysis, member.name, steps);
}

/** A function of the project, or the callback of `map`. */
function isCreatedByCall(analysis: Analysis, call: ts.CallExpression, steps: number): boolean {
  const { expression } = call;
  const isMapping = ts.isPropertyAccessExpression(expression) && /^(?:map|flatMap|from)$/.test(expression.name.text);
  const callback = isMapping ? call.arguments.at(-1) : undefined;
  if (callback && (ts.isArrowFunction(callback) || ts.isFunctionExpression(callback)))
    return createsResult(analysis, callback.body, steps - 1);
  return createsResult(analysis, functionOf(analysis, expression), steps - 1);
}

/**
 * Whether the values of a type have no properties that JSON writes: primitive values, dates, content, lists of them.
 * `seen` are the types that were looked at: a type may contain another one very often, and itself.
 */
function isPlain(analysis: Analysis, type: ts.Type, seen = new Set<ts.Type>()): boolean {
  const { checker, origins } = analysis;
  if (seen.has(type)) return true;
  seen.add(type);
  const inner = (each: ts.Type) => isPlain(analysis, each, seen);
  if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.Instantiable)) return false;
  if (type.isUnion()) return type.types.every(inner);
  if (type.isIntersection()) return type.types.some((each) => !(each.flags & ts.TypeFlags.Object));
  if (!(type.flags & ts.TypeFlags.Object) || contentKindOf(checker, origins, type) !== undefined) return true;
  const isForm = type.symbol !== undefined && origins.isPlatform(type.symbol) && JSON_FORMS.has(type.symbol.name);
  if (!isForm && !checker.isArrayType(type) && !checker.isTupleType(type)) return false;
  return checker.getTypeArguments(type as ts.TypeReference).every(inner);
}
