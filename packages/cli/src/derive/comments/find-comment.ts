import ts from "typescript";
import type { Origins } from "../program/origin.ts";
import { describesValue, findTag } from "./check-tags.ts";
import { groupTags, parseNamedTag } from "./function-comment.ts";
import { type DocComment, type DocTag, descriptionOf, libraryDoc, parseDocComment } from "./parse-comment.ts";

/** Caches parsed comments. Source files outlive programs, so an unchanged file keeps its comments across builds. */
const parsed = new WeakMap<ts.Node, DocComment | null>();

/** Returns the documentation comment of a symbol, from its first declaration that has one. */
export function docOfSymbol(symbol: ts.Symbol): DocComment | undefined {
  for (const declaration of symbol.declarations ?? []) {
    const doc = docOfNode(declaration);
    if (doc) return doc;
  }
  return undefined;
}

/** Returns the documentation comment of a declaration. */
export function docOfNode(node: ts.Node): DocComment | undefined {
  let doc = parsed.get(node);
  if (doc === undefined) {
    doc = readDoc(node) ?? null;
    parsed.set(node, doc);
  }
  return doc ?? undefined;
}

/** Returns the comment of a member of a union type: before it, or before the `|` in front of it. */
export function docOfUnionMember(node: ts.TypeNode): DocComment | undefined {
  const own = docOfNode(node);
  if (own || !ts.isUnionTypeNode(node.parent)) return own;
  const { types, pos } = node.parent;
  const before = types[types.indexOf(node) - 1];
  return commentsAt(node.getSourceFile(), before?.end ?? pos, node.pos).at(-1);
}

/** The part of an analysis or conversion that finds comments. */
export interface DocSource {
  readonly checker: ts.TypeChecker;
  readonly origins: Origins;
}

/** More bases than any hierarchy has. The limit is for comments that inherit from each other. */
const MAX_DEPTH = 10;
/** Tags that belong to one declaration: two functions must not have the same name or URI. */
const OWN_TAGS: ReadonlySet<string> = new Set(["name", "resource", "internal"]);

/**
 * Returns the comment of a symbol. A member without a comment has that of the member that it implements or overrides;
 * `{@inheritDoc name}` adds the comment of the named declaration, and is dropped if there is none.
 */
export function docOfMember(source: DocSource, symbol: ts.Symbol, depth = 0): DocComment | undefined {
  const own = docOfSymbol(symbol);
  if ((own && own.inherits === undefined) || depth > MAX_DEPTH) return own;
  const bases = own?.inherits ? namedSymbols(source, symbol, own.inherits) : baseMembers(source, symbol);
  for (const base of bases) {
    const doc = base === symbol ? undefined : docOfMember(source, base, depth + 1);
    if (doc === undefined) continue;
    const inherited = { ...doc, tags: doc.tags.filter(({ name }) => !OWN_TAGS.has(name)) };
    return own ? merge(source, own, inherited) : inherited;
  }
  return own;
}

/** Returns the comment with `@module`, which describes the whole file. */
export function moduleDoc(file: ts.SourceFile): DocComment | undefined {
  for (const statement of [...file.statements, file.endOfFileToken]) {
    const doc = commentsBefore(statement).find(({ tags }) => tags.some(isModuleTag));
    if (doc === undefined) continue;
    // The first line of `@module name` is the module's name; the lines after it describe the module.
    const more = doc.tags.find(isModuleTag)?.text.replace(/^.*\n?/, "");
    return { ...doc, text: [descriptionOf(doc), more].filter(Boolean).join("\n\n") };
  }
  return undefined;
}

function readDoc(node: ts.Node): DocComment | undefined {
  if (ts.isJSDocParameterTag(node) || ts.isJSDocPropertyTag(node)) return readNamedTag(node);
  if (ts.isJSDocTypedefTag(node)) return groupTags(enclosingComment(node));
  return commentsBefore(commentedNode(node))
    .filter((doc) => !doc.tags.some(isModuleTag) && !isToolComment(doc))
    .at(-1);
}

/** Reads the comment of a property declared by a JSDoc tag, such as `@param {number} options.limit - how many`. */
function readNamedTag(node: ts.JSDocPropertyLikeTag): DocComment | undefined {
  const { params } = groupTags(enclosingComment(node));
  const found = params.find(({ name }) => name === node.name.getText());
  return found && { text: found.text, tags: found.tags, place: { file: node.getSourceFile(), pos: node.pos } };
}

/** Returns the property names in the comment of a JSDoc `@typedef`; undefined for any other declaration. */
export function typedefProperties(node: ts.Node): string[] | undefined {
  if (!ts.isJSDocTypedefTag(node)) return undefined;
  const doc = enclosingComment(node);
  const isAlone = doc.tags.filter(({ name }) => name === "typedef").length === 1;
  return isAlone ? groupTags(doc).params.map(({ name }) => name) : undefined;
}

function enclosingComment(node: ts.Node): DocComment {
  let comment = node;
  while (comment.parent && !ts.isJSDoc(comment)) comment = comment.parent;
  const file = node.getSourceFile();
  return parseDocComment(file.text.slice(comment.pos, comment.end), { file, pos: comment.pos });
}

function isModuleTag({ name }: { name: string }): boolean {
  return name === "module";
}

/** Returns the node that the comment precedes: for `const f = () => …` it is the whole statement. */
function commentedNode(node: ts.Node): ts.Node {
  const { parent } = node;
  if (ts.isVariableDeclaration(node) && ts.isVariableDeclarationList(parent) && parent.declarations[0] === node) {
    return parent.parent;
  }
  const isWrapper = ({ kind }: ts.Node) => WRAPPERS.has(kind);
  const isExpression = ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isObjectLiteralExpression(node);
  if (!isExpression && !isWrapper(node)) return node;
  return isWrapper(parent) || HOLDERS.has(parent.kind) ? commentedNode(parent) : node;
}

const { ParenthesizedExpression, AsExpression, SatisfiesExpression } = ts.SyntaxKind;
const WRAPPERS: ReadonlySet<ts.SyntaxKind> = new Set([ParenthesizedExpression, AsExpression, SatisfiesExpression]);
/** The nodes before which the comment of their value is written. */
const { VariableDeclaration, PropertyAssignment, PropertyDeclaration, ExportAssignment } = ts.SyntaxKind;
const HOLDERS: ReadonlySet<ts.SyntaxKind> = new Set([
  ...[VariableDeclaration, PropertyAssignment, PropertyDeclaration, ExportAssignment],
]);

/**
 * Returns the documentation comments between the previous token and a node. TypeScript drops those on the line of the
 * previous token, as in `{ /** @minimum 1 *\/ n: number }`. They count here if the node begins on the same line;
 * otherwise they describe the previous token.
 */
function commentsBefore(node: ts.Node): DocComment[] {
  const file = node.getSourceFile();
  return commentsAt(file, node.pos, node.getStart(file));
}

function commentsAt(file: ts.SourceFile, from: number, start: number): DocComment[] {
  const { text } = file;
  const before = ts
    .getTrailingCommentRanges(text, from)
    ?.filter((range) => !text.slice(range.end, start).includes("\n"));
  const ranges = [...(from > 0 ? (before ?? []) : []), ...(ts.getLeadingCommentRanges(text, from) ?? [])];
  return ranges.flatMap(({ pos, end }) => {
    const comment = text.slice(pos, end);
    return /^\/\*\*[^*/]/.test(comment) ? [parseDocComment(comment, { file, pos })] : [];
  });
}

/** The first words of comments for linters, formatters, coverage, minifiers and bundlers. */
const INSTRUCTION =
  /^(?:(?:eslint|oxlint|tslint|jshint|jslint|biome|prettier|stylelint)\b[-:\s]|(?:istanbul|c8|v8|node:coverage)\s+ignore\b|[#@]__\w+__|webpack\w+:|globals?\s+\w+\s*$)/;
/** Tags for compilers and test runners, which describe nothing. */
const INSTRUCTION_TAG = /^(?:ts-|eslint-|jsx|jest-|vitest-|vite-|biome-|prettier|flow|noflow|nocheck|__)/;
const LEGAL = /^(?:copyright\b|\(c\)|©|licensed under\b|spdx-license-identifier)/i;

/**
 * Whether a comment is not about the code after it: a license, a description of the file, or an instruction for a tool.
 * It must not hide the comment before it.
 */
function isToolComment({ text, tags }: DocComment): boolean {
  const has = (...names: string[]) => tags.some(({ name }) => names.includes(name.toLowerCase()));
  if (has("param", "returns")) return false;
  if (has("file", "fileoverview", "overview", "license", "copyright", "preserve") || LEGAL.test(text)) return true;
  if (INSTRUCTION.test(text)) return true;
  return text === "" && tags.length > 0 && tags.every(({ name }) => INSTRUCTION_TAG.test(name));
}

/** Returns the members of the base types with the same name, in source order. */
function baseMembers({ checker }: DocSource, { name, declarations = [] }: ts.Symbol): ts.Symbol[] {
  return declarations.flatMap(({ parent }) => {
    if (parent === undefined) return [];
    if (ts.isObjectLiteralExpression(parent)) {
      const expected = checker.getContextualType(parent)?.getProperty(name);
      return expected ? [expected] : [];
    }
    if (!ts.isClassLike(parent) && !ts.isInterfaceDeclaration(parent)) return [];
    const bases = (parent.heritageClauses ?? []).flatMap(({ types }) => types);
    return bases.flatMap((base) => checker.getTypeAtLocation(base).getProperty(name) ?? []);
  });
}

/** Resolves a declaration reference of TSDoc, such as `Base.member` or `package#Base`, where the symbol is declared. */
function namedSymbols({ checker }: DocSource, { declarations = [] }: ts.Symbol, reference: string): ts.Symbol[] {
  const [first, ...rest] = reference
    .replace(/^.*[#!]/, "")
    .replace(/:\w+|[()]/g, "")
    .split(".");
  const [place] = declarations;
  if (place === undefined) return [];
  const { Value, Type, Namespace, Alias } = ts.SymbolFlags;
  const visible = checker.getSymbolsInScope(place, Value | Type | Namespace | Alias);
  let found = visible.find(({ name }) => name === first);
  for (const name of rest) found = found && memberOf(checker, found, name);
  return found ? [targetOf(checker, found)] : [];
}

function memberOf(checker: ts.TypeChecker, holder: ts.Symbol, name: string): ts.Symbol | undefined {
  const target = targetOf(checker, holder);
  const key = ts.escapeLeadingUnderscores(name);
  const declared = target.members?.get(key) ?? target.exports?.get(key);
  return declared ?? checker.getTypeOfSymbol(target).getProperty(name);
}

function targetOf(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function merge({ origins }: DocSource, own: DocComment, base: DocComment): DocComment {
  const isForeign = base.place !== undefined && !origins.isProject(base.place.file);
  const inherited = isForeign ? libraryDoc(base, "function") : base;
  const { inherits: _, ...rest } = own;
  return {
    ...rest,
    text: [own.text, descriptionOf(inherited)].filter(Boolean).join("\n\n"),
    tags: [...own.tags, ...missingTags(own.tags, inherited.tags)],
  };
}

/** Returns the tags of the base that the comment does not have, with the tags that follow a parameter or the result. */
function missingTags(own: readonly DocTag[], base: readonly DocTag[]): DocTag[] {
  const has = new Set(own.map(keyOf));
  let isMissing = true;
  return base.filter((tag) => {
    const known = findTag(tag.name);
    const followsOther = known !== undefined && describesValue(known, !tag.inline);
    if (!followsOther) isMissing = tag.name !== "summary" && tag.name !== "description" && !has.has(keyOf(tag));
    return isMissing;
  });
}

function keyOf({ name, text }: DocTag): string {
  return name === "param" ? `param ${parseNamedTag(text)?.name}` : name;
}
