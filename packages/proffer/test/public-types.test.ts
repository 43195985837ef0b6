import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { ENTRIES } from "./entries.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const src = `${root}packages/proffer/src/`;

/** Types that only compute another type: authors see the result and do not need the name. */
const COMPUTED: ReadonlySet<string> = new Set([
  // The brand of the values that `text()` and similar functions return.
  "Marked",
  // The value of a field, and undefined if the field is optional.
  "Maybe",
  // Helpers of `Infer`, `ResourceParams`, `FieldValues` and `TemplateValues`.
  ...["Typed", "Types", "OpenParams", "ValueOf", "Flat", "Lead", "Name", "OpenValue", "Specs", "Value"],
  // Helpers of `TypedClient` and `Wire`.
  ...["VersionOf", "Unknown", "ApiOfItems", "ApiOfModule", "IsAny", "Form", "CodecForm"],
]);

const { compilerOptions } = ts.parseConfigFileTextToJson("", readFileSync(`${root}tsconfig.base.json`, "utf8")).config;
const program = ts.createProgram(
  ENTRIES.map((name) => `${src}${name}.ts`),
  {
    ...ts.convertCompilerOptionsFromJson(compilerOptions, root).options,
    noEmit: true,
  },
);
const checker = program.getTypeChecker();

/** The symbols that an entry exports, with aliases resolved. */
function exportsOf(entry: string): ts.Symbol[] {
  const file = program.getSourceFile(`${src}${entry}.ts`);
  const module = file && checker.getSymbolAtLocation(file);
  return module === undefined ? [] : checker.getExportsOfModule(module).map(resolveAlias);
}

function resolveAlias(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** The types of Proffer that the declarations of a symbol name, without function bodies and private members. */
function typesIn(symbol: ts.Symbol): Set<ts.Symbol> {
  const found = new Set<ts.Symbol>();
  for (const declaration of symbol.declarations ?? []) visit(declaration);
  return found;

  function visit(node: ts.Node): void {
    if (ts.isBlock(node) || isPrivate(node) || isImplementation(node)) return;
    if (ts.isTypeReferenceNode(node)) add(checker.getSymbolAtLocation(node.typeName));
    else if (ts.isExpressionWithTypeArguments(node)) visitBase(checker.getSymbolAtLocation(node.expression));
    else if (ts.isShorthandPropertyAssignment(node)) visitAll(checker.getShorthandAssignmentValueSymbol(node));
    ts.forEachChild(node, visit);
  }

  /** The members of an unexported base belong to the interface that extends it. */
  function visitBase(base: ts.Symbol | undefined): void {
    if (base !== undefined && exported.has(resolveAlias(base))) add(base);
    else visitAll(base);
  }

  function visitAll(named: ts.Symbol | undefined): void {
    for (const declaration of ours(named)) visit(declaration);
  }

  function add(named: ts.Symbol | undefined): void {
    if (named === undefined || ours(named).length === 0) return;
    const target = resolveAlias(named);
    if (!(target.flags & ts.SymbolFlags.TypeParameter)) found.add(target);
  }
}

/** The declarations of a symbol in the sources of Proffer. */
function ours(symbol: ts.Symbol | undefined): readonly ts.Declaration[] {
  const declarations = symbol === undefined ? [] : (resolveAlias(symbol).declarations ?? []);
  return declarations.filter((each) => each.getSourceFile().fileName.startsWith(src));
}

function isPrivate(node: ts.Node): boolean {
  if (ts.getJSDocTags(node).some((tag) => tag.tagName.text === "internal")) return true;
  return ts.isClassElement(node) && node.name !== undefined && ts.isPrivateIdentifier(node.name);
}

/** Whether the node is the body of overloads, which callers do not see. */
function isImplementation(node: ts.Node): boolean {
  if (!ts.isFunctionDeclaration(node) && !ts.isMethodDeclaration(node)) return false;
  const symbol = node.name && checker.getSymbolAtLocation(node.name);
  return node.body !== undefined && (symbol?.declarations?.length ?? 0) > 1;
}

const exported = new Set(ENTRIES.flatMap(exportsOf));

describe("every type in a public signature", () => {
  it.each(ENTRIES)("of proffer/%s can be imported", (entry) => {
    const symbols = exportsOf(entry);
    expect(symbols).not.toEqual([]);
    const missing = symbols.flatMap((symbol) =>
      [...typesIn(symbol)]
        .filter((type) => !exported.has(type) && !COMPUTED.has(type.name))
        .map((type) => `${symbol.name}: ${type.name}`),
    );
    expect(missing).toEqual([]);
  });

  it("has no exported or unused exception", () => {
    const used = new Set(ENTRIES.flatMap(exportsOf).flatMap((symbol) => [...typesIn(symbol)].map((type) => type.name)));
    const names = new Set([...exported].map((symbol) => symbol.name));
    for (const name of COMPUTED) expect([name, used.has(name), names.has(name)]).toEqual([name, true, false]);
  });
});
