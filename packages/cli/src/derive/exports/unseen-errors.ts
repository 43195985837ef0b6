import ts from "typescript";
import { aliasTarget } from "../types/type-node.ts";
import type { Candidate } from "./exports.ts";
import type { Session } from "./session.ts";

/** The classes of the run-time whose messages clients receive. */
const SEEN = ["ToolError", "RpcError", "InvalidParams", "NotFound"];

/**
 * Whether the body of a function throws an error whose message no client receives by default. Values of unknown type,
 * such as a caught error that is thrown again, and the bodies of other functions that it calls do not count.
 */
export function throwsUnseenError(session: Session, { signature }: Candidate): boolean {
  const body = bodyOf(signature);
  return body !== undefined && containsUnseenThrow(session, body);
}

/** Whether the module creates a server with the option `errors`, so that the author has decided about errors. */
export function choosesErrors({ checker, origins }: Session, file: ts.SourceFile): boolean {
  const visit = (node: ts.Node): boolean => {
    if (ts.isCallExpression(node)) {
      const callee = checker.getSymbolAtLocation(node.expression);
      const [options] = node.arguments;
      const isServer = callee !== undefined && origins.isRuntime(aliasTarget(checker, callee), "defineServer");
      if (isServer && options && checker.getPropertyOfType(checker.getTypeAtLocation(options), "errors")) return true;
    }
    return ts.forEachChild(node, visit) ?? false;
  };
  return visit(file);
}

/** The declaration of an overload has no body; that of the implementation has. */
function bodyOf({ declaration }: ts.Signature): ts.Node | undefined {
  const symbol = (declaration as (ts.Declaration & { symbol?: ts.Symbol }) | undefined)?.symbol;
  const bodies = [declaration, ...(symbol?.declarations ?? [])].map(
    (each) => (each as { body?: ts.Node } | undefined)?.body,
  );
  return bodies.find((body) => body !== undefined);
}

function containsUnseenThrow(session: Session, node: ts.Node): boolean {
  if (ts.isThrowStatement(node) && isUnseen(session, session.checker.getTypeAtLocation(node.expression))) return true;
  const visit = (child: ts.Node) => containsUnseenThrow(session, child);
  if (ts.isTryStatement(node) && node.catchClause) {
    // The function handles what it throws in the try block.
    return visit(node.catchClause) || (node.finallyBlock !== undefined && visit(node.finallyBlock));
  }
  return ts.forEachChild(node, visit) ?? false;
}

function isUnseen(session: Session, type: ts.Type): boolean {
  if (type.isUnion()) return type.types.some((member) => isUnseen(session, member));
  if (!type.isClassOrInterface()) return false;
  return !SEEN.some((name) => session.origins.isRuntime(type.symbol, name)) && !extendsSeen(session, type);
}

function extendsSeen(session: Session, type: ts.InterfaceType): boolean {
  return session.checker.getBaseTypes(type).some((base) => base.isClassOrInterface() && !isUnseen(session, base));
}
