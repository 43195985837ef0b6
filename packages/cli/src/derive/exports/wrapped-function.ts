import ts from "typescript";
import type { DocComment } from "../comments/doc-comment.ts";
import { docOfNode, docOfSymbol } from "../comments/docs.ts";
import { aliasTarget } from "../types/type-node.ts";
import type { Session } from "./session.ts";

/** The function that an export wraps. */
export interface WrappedFunction {
  declaration: ts.SignatureDeclaration;
  doc: DocComment | undefined;
}

/**
 * Finds the function that an export wraps: `withRetry(async (id: string) => …)`, `withRetry(find)` or `find.bind(…)`.
 * Undefined for any other declaration, and if the wrapped function is not the author's.
 */
export function findWrapped(session: Session, node: ts.Node): WrappedFunction | undefined {
  const { initializer } = node as { initializer?: ts.Expression };
  const expression = ts.isExportAssignment(node) ? node.expression : initializer;
  return expression && ts.isCallExpression(unwrap(expression)) ? search(session, expression) : undefined;
}

function search(session: Session, given: ts.Expression): WrappedFunction | undefined {
  const expression = unwrap(given);
  if (ts.isArrowFunction(expression) || ts.isFunctionExpression(expression)) {
    return { declaration: expression, doc: docOfNode(expression) };
  }
  if (ts.isIdentifier(expression) || ts.isPropertyAccessExpression(expression))
    return namedFunction(session, expression);
  if (!ts.isCallExpression(expression)) return undefined;
  const callee = expression.expression;
  const isBound = ts.isPropertyAccessExpression(callee) && callee.name.text === "bind";
  for (const argument of isBound ? [callee.expression] : expression.arguments) {
    const found = search(session, argument);
    if (found) return found;
  }
  return undefined;
}

function namedFunction({ checker, origins }: Session, name: ts.Expression): WrappedFunction | undefined {
  const symbol = checker.getSymbolAtLocation(name);
  const target = symbol && aliasTarget(checker, symbol);
  const [signature] = target ? checker.getTypeOfSymbol(target).getCallSignatures() : [];
  const declaration = signature?.declaration;
  if (target === undefined || declaration === undefined || ts.isJSDocSignature(declaration)) return undefined;
  if (!origins.isProject(declaration.getSourceFile())) return undefined;
  return { declaration, doc: docOfSymbol(target) };
}

function unwrap(expression: ts.Expression): ts.Expression {
  const isWrapped =
    ts.isParenthesizedExpression(expression) ||
    ts.isAsExpression(expression) ||
    ts.isSatisfiesExpression(expression) ||
    ts.isNonNullExpression(expression) ||
    ts.isAwaitExpression(expression);
  return isWrapped ? unwrap(expression.expression) : expression;
}
