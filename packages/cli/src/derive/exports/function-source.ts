import ts from "typescript";
import type { DocComment } from "../comments/comment.ts";
import { docOfNode, docOfSymbol } from "../comments/find-comment.ts";
import { docOfMember } from "../comments/inherited-comment.ts";
import { libraryDoc } from "../comments/library-comment.ts";
import { aliasTarget } from "../types/type-node.ts";
import type { Session } from "./session.ts";

/** A function whose comment may be at several places. */
interface CommentedFunction {
  symbol: ts.Symbol;
  /** The declaration of the served signature, which has its own comment if the function is overloaded. */
  served: ts.Node | undefined;
  /** The comment of the function that it wraps. */
  wrapped: DocComment | undefined;
  isOverloaded: boolean;
}

/**
 * Returns the comment of a function. Other declarations count only without one: the wrapped function, the implementation
 * of overloads, another overload, the base of a method, and the JavaScript next to a declaration file.
 */
export function commentOf(
  session: Session,
  { symbol, served, wrapped, isOverloaded }: CommentedFunction,
): DocComment | undefined {
  const own = isOverloaded ? undefined : docOfMember(session, symbol);
  const doc =
    own ??
    wrapped ??
    (served && docOfNode(served)) ??
    (isOverloaded ? (implementationDoc(symbol) ?? docOfMember(session, symbol)) : undefined) ??
    docInJavaScript(session, symbol);
  const isForeign = doc?.place && !session.origins.isProject(doc.place.file);
  return isForeign ? libraryDoc(doc, "function") : doc;
}

function implementationDoc({ declarations = [] }: ts.Symbol): DocComment | undefined {
  const implementation = declarations.find((node) => ts.isFunctionLike(node) && "body" in node && node.body);
  return implementation && docOfNode(implementation);
}

/** Returns the comment of the export with the same name in the JavaScript next to a declaration file. */
function docInJavaScript({ checker, origins }: Session, symbol: ts.Symbol): DocComment | undefined {
  const declared = symbol.declarations?.[0]?.getSourceFile();
  const file = declared && origins.implementation(declared);
  const module = file && checker.getSymbolAtLocation(file);
  const found = module && checker.getExportsOfModule(module).find(({ name }) => name === symbol.name);
  return found && docOfSymbol(found);
}

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
