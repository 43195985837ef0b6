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
  return body !== undefined && unseenThrows(session, body).length > 0;
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
export function bodyOf({ declaration }: ts.Signature): ts.Node | undefined {
  const symbol = (declaration as (ts.Declaration & { symbol?: ts.Symbol }) | undefined)?.symbol;
  const bodies = [declaration, ...(symbol?.declarations ?? [])].map(
    (each) => (each as { body?: ts.Node } | undefined)?.body,
  );
  return bodies.find((body) => body !== undefined);
}

/** Returns the statements that throw such an error, and passes each function call to `onCall`. */
export function unseenThrows(
  session: Session,
  node: ts.Node,
  onCall: (call: ts.CallExpression) => readonly ts.ThrowStatement[] = () => [],
): readonly ts.ThrowStatement[] {
  const visit = (child: ts.Node) => unseenThrows(session, child, onCall);
  if (ts.isTryStatement(node) && node.catchClause) {
    // The function handles what it throws in the try block.
    return [...visit(node.catchClause), ...(node.finallyBlock ? visit(node.finallyBlock) : [])];
  }
  const isThrown = ts.isThrowStatement(node) && isUnseen(session, session.checker.getTypeAtLocation(node.expression));
  const inner: ts.ThrowStatement[] = [...(isThrown ? [node] : []), ...(ts.isCallExpression(node) ? onCall(node) : [])];
  ts.forEachChild(node, (child) => void inner.push(...visit(child)));
  return inner;
}

function isUnseen(session: Session, type: ts.Type): boolean {
  if (type.isUnion()) return type.types.some((member) => isUnseen(session, member));
  if (!type.isClassOrInterface()) return false;
  return !SEEN.some((name) => session.origins.isRuntime(type.symbol, name)) && !extendsSeen(session, type);
}

function extendsSeen(session: Session, type: ts.InterfaceType): boolean {
  return session.checker.getBaseTypes(type).some((base) => base.isClassOrInterface() && !isUnseen(session, base));
}
