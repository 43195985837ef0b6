import ts from "typescript";
import type { ItemSource, Place } from "../model/item-source.ts";
import { contentKindOf, isContext } from "../program/origin.ts";
import { aliasTarget } from "../types/type-node.ts";
import { locate, type Session } from "./session.ts";
import { choosesErrors, unseenThrows } from "./unseen-errors.ts";

type Facts = Pick<ItemSource, "throws" | "repeats">;

/** The methods of the context that end a run where the client must answer. */
const QUESTIONS = new Set(["ask", "askUrl", "sample", "roots"]);

/** Finds the facts about the code of a handler that a client notices and a type does not show. */
export function handlerFacts(session: Session, body: ts.Node | undefined): Facts {
  if (body === undefined) return { throws: [], repeats: [] };
  return { throws: findThrows(session, body), repeats: findRepeats(session, body) };
}

/** Also looks into the functions of the same file that the handler calls. */
function findThrows(session: Session, body: ts.Node): Place[] {
  const file = body.getSourceFile();
  if (choosesErrors(session, file)) return [];
  const seen = new Set<ts.Node>([body]);
  const onCall = ({ expression }: ts.CallExpression): readonly ts.ThrowStatement[] => {
    const called = functionOf(session, expression);
    if (called === undefined || called.getSourceFile() !== file || seen.has(called)) return [];
    seen.add(called);
    return unseenThrows(session, called, onCall);
  };
  const found = new Set(unseenThrows(session, body, onCall));
  return [...found].map(locate).sort((a, b) => a.line - b.line);
}

/** Returns the body of the function that an expression names. */
export function functionOf({ checker }: Session, expression: ts.Expression): ts.Node | undefined {
  const symbol = checker.getSymbolAtLocation(expression);
  const declaration = symbol && aliasTarget(checker, symbol).valueDeclaration;
  if (declaration === undefined) return undefined;
  const holder = ts.isVariableDeclaration(declaration) ? declaration.initializer : declaration;
  return holder && ts.isFunctionLike(holder) ? (holder as { body?: ts.Node }).body : undefined;
}

/** Finds each `await` before the last question that is not a question, a step or another method of the context. */
function findRepeats(session: Session, body: ts.Node): Place[] {
  const awaits: ts.AwaitExpression[] = [];
  let last = -1;
  function visit(node: ts.Node): void {
    // A function inside is code for another time, such as that of a step.
    if (ts.isFunctionLike(node)) return;
    if (ts.isCallExpression(node) && QUESTIONS.has(contextMethod(session, node) ?? "")) last = node.pos;
    if (ts.isAwaitExpression(node)) awaits.push(node);
    ts.forEachChild(node, visit);
  }
  visit(body);
  const repeated = awaits.filter((each) => each.pos < last && !usesContext(session, each.expression));
  return repeated.map(locate);
}

/** Whether an awaited expression is a call of the context, several of them together, or a function that gets the context. */
function usesContext(session: Session, expression: ts.Expression): boolean {
  if (!ts.isCallExpression(expression)) return false;
  if (contextMethod(session, expression) !== undefined) return true;
  const { checker, origins } = session;
  const [list] = expression.arguments;
  if (/^Promise\.\w+$/.test(expression.expression.getText()) && list && ts.isArrayLiteralExpression(list))
    return list.elements.every((each) => usesContext(session, each));
  return expression.arguments.some((each) => isContext(origins, checker.getTypeAtLocation(each)));
}

function contextMethod({ checker, origins }: Session, { expression }: ts.CallExpression): string | undefined {
  if (!ts.isPropertyAccessExpression(expression)) return undefined;
  return isContext(origins, checker.getTypeAtLocation(expression.expression)) ? expression.name.text : undefined;
}

/** Whether a function returns an object or a list of its own, and neither text nor content. */
export function returnsData(session: Session, signature: ts.Signature): boolean {
  const type = session.checker.getAwaitedType(signature.getReturnType());
  return type !== undefined && isData(session, type, false);
}

function isData(session: Session, type: ts.Type, isListed: boolean): boolean {
  const { checker, origins } = session;
  if (type.isUnion()) return type.types.some((member) => isData(session, member, isListed));
  if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return isListed;
  const [item] = checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference) : [];
  if (item !== undefined) return isData(session, item, true);
  const isPlatform = type.symbol !== undefined && origins.isPlatform(type.symbol);
  return contentKindOf(checker, origins, type) === undefined && !isPlatform;
}
