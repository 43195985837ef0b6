import ts from "typescript";
import { checkTags } from "../comments/check-tags.ts";
import { docOfMember, docOfNode, docOfSymbol } from "../comments/find-comment.ts";
import { type FunctionDoc, groupTags } from "../comments/function-comment.ts";
import { type DocComment, libraryDoc } from "../comments/parse-comment.ts";
import { aliasTarget, hasPrivateName, isErrorType } from "../types/type-node.ts";
import type { Analysis } from "./analysis.ts";
import { reporterFor } from "./entry-tags.ts";
import { decideForm, isServerExport, type ModuleForm } from "./server.ts";

/** An exported function that may become a tool, a prompt or a resource. */
export interface Candidate {
  name: string;
  /** The name of the export, then the member names down to the function. */
  path: string[];
  signature: ts.Signature;
  doc: FunctionDoc;
  /** The function that a wrapper such as `withRetry(find)` passes its arguments to. */
  wrapped?: WrappedFunction;
  /** The location of its diagnostics. */
  node: ts.Node;
}

/** How deep nested object literals are followed. */
const MAX_NESTING = 3;

/** Finds the form of a module, and the exported functions to serve, in source order. */
export function findExports(analysis: Analysis, file: ts.SourceFile): { form: ModuleForm; candidates: Candidate[] } {
  const { checker } = analysis;
  const module = checker.getSymbolAtLocation(file);
  const exports = module ? checker.getExportsOfModule(module) : [];
  const values = exports.filter((symbol) => isValueExport(checker, symbol)).sort((a, b) => compare(file, a, b));
  const isOffered = (symbol: ts.Symbol) => symbol.name === "default" || !isInternalExport(analysis, symbol);
  const servers = values.filter((symbol) => isServerExport(analysis, symbol) && isOffered(symbol));
  // Functions beside a default server may be helpers with any types, so their problems are not reported.
  const isWhole = servers.some(({ name }) => name === "default");
  const reporting = isWhole ? { ...analysis, report: () => {} } : analysis;
  const candidates: Candidate[] = [];
  for (const symbol of values) {
    if (!servers.includes(symbol)) candidates.push(...candidatesOf(reporting, symbol, values));
  }
  const form = decideForm(analysis, servers, candidates);
  return { form, candidates: form === "server" ? [] : candidates };
}

function candidatesOf(analysis: Analysis, symbol: ts.Symbol, all: readonly ts.Symbol[]): Candidate[] {
  const { checker } = analysis;
  const target = aliasTarget(checker, symbol);
  const declaration = target.valueDeclaration ?? target.declarations?.[0];
  if (declaration === undefined || isInternalExport(analysis, symbol)) return [];
  const node = placeOf(analysis, symbol, declaration);
  const isDefault = symbol.name === "default";
  // `export default f` and `export { f }` export the same function twice.
  if (isDefault && all.some((other) => other !== symbol && aliasTarget(checker, other) === target)) return [];
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(target));
  if (type.flags & ts.TypeFlags.Any) {
    const subject = `The export '${symbol.name}'`;
    if (isErrorType(type))
      analysis.report(
        "PF1101",
        node,
        `${subject} has a type that cannot be resolved. Fix the import that TypeScript cannot find.`,
      );
    else
      analysis.report(
        "PF2003",
        node,
        `${subject} has the type any and is not served. Declare its type, or mark it @internal.`,
      );
    return [];
  }
  if (target.flags & ts.SymbolFlags.Class || (type.getConstructSignatures().length > 0 && !isCallable(type))) {
    analysis.report(
      "PF2004",
      node,
      `The class '${symbol.name}' is not served. Export an instance (export const name = new ${symbol.name}()), or mark it @internal.`,
    );
    return [];
  }
  if (!isCallable(type)) {
    const isObject = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
    const found = isObject ? candidatesIn(analysis, type, isDefault ? [] : [symbol.name], [symbol.name], node) : [];
    const doc = docOfSymbol(target);
    if (found.length > 0 && doc) checkTags(reporterFor(analysis, `'${symbol.name}'`, node), doc, "object");
    return found;
  }
  const declared = ts.getNameOfDeclaration(declaration);
  const ownName = declared && ts.isIdentifier(declared) ? declared.text : undefined;
  if (isDefault && ownName === undefined) {
    analysis.report("PF1005", node, "The default export has no name. Write: export default function name(…).");
    return [];
  }
  const name = isDefault ? (ownName ?? symbol.name) : symbol.name;
  return [toCandidate(analysis, name, [symbol.name], target, type, node)];
}

/** Returns the declaration of an export; for one of a package, the author's line that exports it again. */
function placeOf({ origins }: Analysis, { declarations = [] }: ts.Symbol, declaration: ts.Declaration): ts.Node {
  const isOwn = (node: ts.Node) => origins.isProject(node.getSourceFile());
  return isOwn(declaration) ? declaration : (declarations.find(isOwn) ?? declaration);
}

/** Packages whose exported objects are mostly servers. */
const MCP_PACKAGE = /^@modelcontextprotocol\/|^(?:fastmcp|mcp-lite|tmcp|mcp-use)$/;

/** Returns the methods of an exported object, namespace or class instance. */
function candidatesIn(analysis: Analysis, type: ts.Type, names: string[], path: string[], node: ts.Node): Candidate[] {
  const { checker, origins } = analysis;
  const found: Candidate[] = [];
  let foreign: string | undefined;
  for (const member of checker.getPropertiesOfType(type)) {
    const declaration = member.valueDeclaration ?? member.declarations?.[0];
    if (declaration === undefined || !isPublic(member, declaration) || isInternal(docOfSymbol(member))) continue;
    const memberType = checker.getNonNullableType(checker.getTypeOfSymbol(member));
    const memberNames = [...names, member.name];
    const memberPath = [...path, member.name];
    if (!origins.isProject(declaration.getSourceFile())) {
      const isMethod = isCallable(memberType) && !(type.symbol && origins.isPlatform(type.symbol));
      if (isMethod) foreign ??= origins.packageOf(declaration.getSourceFile().fileName)?.name;
    } else if (isCallable(memberType)) {
      const candidate = toCandidate(analysis, memberNames.join("_"), memberPath, member, memberType, declaration);
      if (!isInternal(candidate.doc)) found.push(candidate);
    } else if (
      memberType.symbol?.flags & (ts.SymbolFlags.ObjectLiteral | ts.SymbolFlags.Module) &&
      path.length < MAX_NESTING
    ) {
      found.push(...candidatesIn(analysis, memberType, memberNames, memberPath, declaration));
    }
  }
  if (found.length === 0 && foreign !== undefined) {
    const guide = MCP_PACKAGE.test(foreign) ? " To move a server of this package to Proffer, see docs/migrate.md." : "";
    analysis.report(
      "PF2005",
      node,
      `'${path.join(".")}' is an object from ${foreign} and is not served. Export functions that use it, or mark it @internal.${guide}`,
    );
  }
  return found;
}

function toCandidate(
  analysis: Analysis,
  name: string,
  path: string[],
  symbol: ts.Symbol,
  type: ts.Type,
  node: ts.Node,
): Candidate {
  const [signature, ...others] = type.getCallSignatures() as [ts.Signature, ...ts.Signature[]];
  const { declaration } = signature;
  const isOverloaded = others.length > 0;
  if (isOverloaded) {
    analysis.report(
      "PF2002",
      node,
      `'${name}' has ${others.length + 1} overloads, but only the first is served. Export a separate function for each.`,
    );
  }
  const wrapped = findWrapped(analysis, node);
  const comment = commentOf(analysis, { symbol, served: declaration, wrapped: wrapped?.doc, isOverloaded });
  const doc = groupTags(comment ?? { text: "", tags: [] });
  return { name, path, signature, doc, ...(wrapped && { wrapped }), node };
}

function isCallable(type: ts.Type): boolean {
  return type.getCallSignatures().length > 0;
}

function isInternalExport({ checker }: Analysis, symbol: ts.Symbol): boolean {
  return isInternal(docOfSymbol(aliasTarget(checker, symbol)));
}

function isInternal(doc: DocComment | undefined): boolean {
  return doc?.tags.some(({ name }) => name === "internal") ?? false;
}

/** Whether a member of an object may be served. An accessor is not: reading it runs the author's code. */
function isPublic(member: ts.Symbol, declaration: ts.Declaration): boolean {
  if (member.name.startsWith("__@") || hasPrivateName(declaration) || ts.isAccessor(declaration)) return false;
  return !(ts.getCombinedModifierFlags(declaration) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected));
}

/** Whether an export exists at run time: it is not a type, and not a type-only export. */
export function isValueExport(checker: ts.TypeChecker, symbol: ts.Symbol): boolean {
  if (!(aliasTarget(checker, symbol).flags & ts.SymbolFlags.Value)) return false;
  for (
    let at: ts.Symbol | undefined = symbol;
    at && at.flags & ts.SymbolFlags.Alias;
    at = checker.getImmediateAliasedSymbol(at)
  ) {
    if (at.declarations?.some(ts.isTypeOnlyImportOrExportDeclaration)) return false;
  }
  return true;
}

function compare(file: ts.SourceFile, a: ts.Symbol, b: ts.Symbol): number {
  const first = a.declarations?.[0];
  const second = b.declarations?.[0];
  if (first === undefined || second === undefined) return 0;
  const [one, other] = [first.getSourceFile(), second.getSourceFile()];
  if (one === other) return first.pos - second.pos;
  if (one === file || other === file) return one === file ? -1 : 1;
  return one.fileName < other.fileName ? -1 : 1;
}

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
function commentOf(
  analysis: Analysis,
  { symbol, served, wrapped, isOverloaded }: CommentedFunction,
): DocComment | undefined {
  const own = isOverloaded ? undefined : docOfMember(analysis, symbol);
  const implementation = symbol.declarations?.find((node) => ts.isFunctionLike(node) && "body" in node && node.body);
  const doc =
    own ??
    wrapped ??
    (served && docOfNode(served)) ??
    (isOverloaded ? ((implementation && docOfNode(implementation)) ?? docOfMember(analysis, symbol)) : undefined) ??
    docInJavaScript(analysis, symbol);
  const isForeign = doc?.place && !analysis.origins.isProject(doc.place.file);
  return isForeign ? libraryDoc(doc, "function") : doc;
}

/** Returns the comment of the export with the same name in the JavaScript next to a declaration file. */
function docInJavaScript({ checker, origins }: Analysis, symbol: ts.Symbol): DocComment | undefined {
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
function findWrapped(analysis: Analysis, node: ts.Node): WrappedFunction | undefined {
  const { initializer } = node as { initializer?: ts.Expression };
  const expression = ts.isExportAssignment(node) ? node.expression : initializer;
  return expression && ts.isCallExpression(unwrap(expression)) ? search(analysis, expression) : undefined;
}

function search(analysis: Analysis, given: ts.Expression): WrappedFunction | undefined {
  const expression = unwrap(given);
  if (ts.isArrowFunction(expression) || ts.isFunctionExpression(expression)) {
    return { declaration: expression, doc: docOfNode(expression) };
  }
  if (ts.isIdentifier(expression) || ts.isPropertyAccessExpression(expression))
    return namedFunction(analysis, expression);
  if (!ts.isCallExpression(expression)) return undefined;
  const callee = expression.expression;
  const isBound = ts.isPropertyAccessExpression(callee) && callee.name.text === "bind";
  for (const argument of isBound ? [callee.expression] : expression.arguments) {
    const found = search(analysis, argument);
    if (found) return found;
  }
  return undefined;
}

function namedFunction({ checker, origins }: Analysis, name: ts.Expression): WrappedFunction | undefined {
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
