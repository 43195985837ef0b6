import ts from "typescript";
import type { ItemSource, Place } from "../model/description.ts";
import { contentKindOf, isContext } from "../program/origin.ts";
import { aliasTarget } from "../types/type-node.ts";
import { type Analysis, callsOf, locate } from "./analysis.ts";
import type { Candidate } from "./exports.ts";

/** The classes of the run-time whose messages clients receive. */
const SEEN = ["ToolError", "RpcError", "InvalidParams", "NotFound"];

/**
 * Whether the body of a function throws an error whose message no client receives by default. Values of unknown type,
 * such as a caught error that is thrown again, and the bodies of other functions that it calls do not count.
 */
export function throwsUnseenError(analysis: Analysis, { signature }: Candidate): boolean {
  const body = bodyOf(signature);
  return body !== undefined && unseenThrows(analysis, body).length > 0;
}

/** Whether the module creates a server with an option, so that the author has decided about it. */
export function choosesOption(analysis: Analysis, file: ts.SourceFile, name: "errors" | "closedResults"): boolean {
  const { checker } = analysis;
  return callsOf(analysis, [file], "defineServer").some(({ arguments: [options] }) => {
    return options && checker.getPropertyOfType(checker.getTypeAtLocation(options), name) !== undefined;
  });
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
function unseenThrows(
  analysis: Analysis,
  node: ts.Node,
  onCall: (call: ts.CallExpression) => readonly ts.ThrowStatement[] = () => [],
): readonly ts.ThrowStatement[] {
  const visit = (child: ts.Node) => unseenThrows(analysis, child, onCall);
  if (ts.isTryStatement(node) && node.catchClause) {
    // The function handles the errors of the try block itself.
    return [...visit(node.catchClause), ...(node.finallyBlock ? visit(node.finallyBlock) : [])];
  }
  const isThrown = ts.isThrowStatement(node) && isUnseen(analysis, analysis.checker.getTypeAtLocation(node.expression));
  const inner: ts.ThrowStatement[] = [...(isThrown ? [node] : []), ...(ts.isCallExpression(node) ? onCall(node) : [])];
  ts.forEachChild(node, (child) => void inner.push(...visit(child)));
  return inner;
}

function isUnseen(analysis: Analysis, type: ts.Type): boolean {
  if (type.isUnion()) return type.types.some((member) => isUnseen(analysis, member));
  if (!type.isClassOrInterface()) return false;
  if (SEEN.some((name) => analysis.origins.isRuntime(type.symbol, name))) return false;
  return !analysis.checker.getBaseTypes(type).some((base) => base.isClassOrInterface() && !isUnseen(analysis, base));
}

/** The methods of the context that end a run where the client must answer. */
const QUESTIONS = new Set(["ask", "askUrl", "sample", "roots"]);

/** Finds the facts about the code of a handler that a client notices and a type does not show. */
export function handlerFacts(analysis: Analysis, body: ts.Node | undefined): Pick<ItemSource, "throws" | "repeats"> {
  if (body === undefined) return { throws: [], repeats: [] };
  return { throws: findThrows(analysis, body), repeats: findRepeats(analysis, body) };
}

/** Also looks into the functions of the same file that the handler calls. */
function findThrows(analysis: Analysis, body: ts.Node): Place[] {
  const file = body.getSourceFile();
  if (choosesOption(analysis, file, "errors")) return [];
  const seen = new Set<ts.Node>([body]);
  const onCall = ({ expression }: ts.CallExpression): readonly ts.ThrowStatement[] => {
    const called = functionOf(analysis, expression);
    if (called === undefined || called.getSourceFile() !== file || seen.has(called)) return [];
    seen.add(called);
    return unseenThrows(analysis, called, onCall);
  };
  const found = new Set(unseenThrows(analysis, body, onCall));
  return [...found].map(locate).sort((a, b) => a.line - b.line);
}

/** Returns the body of the function that an expression names. */
export function functionOf({ checker }: Analysis, expression: ts.Expression): ts.Node | undefined {
  const symbol = checker.getSymbolAtLocation(expression);
  const declaration = symbol && aliasTarget(checker, symbol).valueDeclaration;
  if (declaration === undefined) return undefined;
  const holder = ts.isVariableDeclaration(declaration) ? declaration.initializer : declaration;
  return holder && ts.isFunctionLike(holder) ? (holder as { body?: ts.Node }).body : undefined;
}

/** Finds each `await` before the last question that is not a question, a step or another method of the context. */
function findRepeats(analysis: Analysis, body: ts.Node): Place[] {
  const awaits: ts.AwaitExpression[] = [];
  let last = -1;
  function visit(node: ts.Node): void {
    // A function inside is code for another time, such as that of a step.
    if (ts.isFunctionLike(node)) return;
    if (ts.isCallExpression(node) && QUESTIONS.has(contextMethod(analysis, node) ?? "")) last = node.pos;
    if (ts.isAwaitExpression(node)) awaits.push(node);
    ts.forEachChild(node, visit);
  }
  visit(body);
  const repeated = awaits.filter((each) => each.pos < last && !usesContext(analysis, each.expression));
  return repeated.map(locate);
}

/** Whether an awaited expression is a call of the context, several of them together, or a function that gets the context. */
function usesContext(analysis: Analysis, expression: ts.Expression): boolean {
  if (!ts.isCallExpression(expression)) return false;
  if (contextMethod(analysis, expression) !== undefined) return true;
  const { checker, origins } = analysis;
  const [list] = expression.arguments;
  if (/^Promise\.\w+$/.test(expression.expression.getText()) && list && ts.isArrayLiteralExpression(list))
    return list.elements.every((each) => usesContext(analysis, each));
  return expression.arguments.some((each) => isContext(origins, checker.getTypeAtLocation(each)));
}

function contextMethod({ checker, origins }: Analysis, { expression }: ts.CallExpression): string | undefined {
  if (!ts.isPropertyAccessExpression(expression)) return undefined;
  return isContext(origins, checker.getTypeAtLocation(expression.expression)) ? expression.name.text : undefined;
}

/** Whether a function returns an object or a list, and neither text nor content. */
export function returnsData(analysis: Analysis, signature: ts.Signature): boolean {
  const type = analysis.checker.getAwaitedType(signature.getReturnType());
  return type !== undefined && isData(analysis, type, false, new Set());
}

/** `seen` are the types that were looked at: a list may contain itself. */
function isData(analysis: Analysis, type: ts.Type, isListed: boolean, seen: Set<ts.Type>): boolean {
  const { checker, origins } = analysis;
  if (seen.has(type)) return false;
  if (type.flags & ts.TypeFlags.Object) seen.add(type);
  if (type.isUnion()) return type.types.some((member) => isData(analysis, member, isListed, seen));
  if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return isListed;
  const [item] = checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference) : [];
  if (item !== undefined) return isData(analysis, item, true, seen);
  const isPlatform = type.symbol !== undefined && origins.isPlatform(type.symbol);
  return contentKindOf(checker, origins, type) === undefined && !isPlatform;
}
