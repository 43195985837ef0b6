import ts from "typescript";
import type { Origins } from "../program/origin.ts";
import { type DocComment, type DocTag, descriptionOf } from "./comment.ts";
import { docOfSymbol } from "./find-comment.ts";
import { parseNamedTag } from "./function-doc.ts";
import { libraryDoc } from "./library-comment.ts";
import { describesValue, findTag } from "./tags.ts";

/** The part of a session or conversion that finds comments. */
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
