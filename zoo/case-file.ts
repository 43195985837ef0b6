import ts from "typescript";

/** The statements of a case file about its functions; see expect.ts. */
const LISTS = ["accepts", "refuses", "returns", "cannotReturn", "gives", "fails"] as const;
/** The lists whose statements have one value: the arguments, and what the client receives. */
const CALLS: readonly string[] = ["gives", "fails"];
const NAMES = ["refused", "warns", "says", "hides"] as const;
const VOCABULARY = "../expect.ts";

export type ListName = (typeof LISTS)[number];
type Statements = Record<ListName | (typeof NAMES)[number], string[]>;

/** A function and the expectations about it. Values are the texts of TypeScript expressions. */
export interface ZooCase extends Statements {
  /** The export, or a member of it: `orders.list`. */
  readonly name: string;
  /** The lines of the declaration with its comment, from 1. */
  readonly lines: readonly [first: number, last: number];
}

export interface CaseFile {
  /** The name of the file, without the extension. */
  readonly name: string;
  /** The module to derive: the file without the statements about it. Lines are the same as in the file. */
  readonly module: string;
  /** The imports that values can refer to. */
  readonly imports: readonly string[];
  /** The names of the imported packages. */
  readonly packages: readonly string[];
  readonly cases: readonly ZooCase[];
}

/** A value of a case, for the oracle and for calls. */
export interface ZooValue {
  readonly of: ZooCase;
  readonly list: ListName;
  readonly text: string;
}

/**
 * Reads a case file.
 * @param only - keep only these cases in the module
 * @throws {Error} if a statement is malformed, or a case has no expectation.
 */
export function readCaseFile(name: string, text: string, only?: readonly string[]): CaseFile {
  const source = ts.createSourceFile(`${name}.ts`, text, ts.ScriptTarget.Latest, true);
  const statements = new Map<string, Statements>();
  const removed: ts.Node[] = [];
  const imports: ts.ImportDeclaration[] = [];
  const declared = new Map<string, ts.Node>();
  for (const statement of source.statements) {
    if (isVocabulary(statement)) removed.push(statement);
    else if (ts.isImportDeclaration(statement)) imports.push(statement);
    else if (ts.isExpressionStatement(statement)) removed.push(readStatement(statement, statements));
    else for (const declaredName of exportedNames(statement)) declared.set(declaredName, statement);
  }
  const cases: ZooCase[] = [];
  for (const [path, found] of statements) {
    const declaration = declared.get(exportOf(path));
    if (declaration === undefined) throw new Error(`${name}.ts has expectations of ${path}, which it does not export.`);
    const first = lineOf(source, declaration.getFullStart() + leadingBlank(declaration));
    cases.push({ name: path, ...found, lines: [first, lineOf(source, declaration.end)] });
  }
  for (const declaredName of declared.keys()) {
    if (cases.some((each) => exportOf(each.name) === declaredName)) continue;
    throw new Error(`${name}.ts exports ${declaredName}, but expects nothing of it.`);
  }
  const kept = cases.filter((each) => only === undefined || only.includes(each.name));
  const keptExports = new Set(kept.map((each) => exportOf(each.name)));
  for (const [declaredName, node] of declared) if (!keptExports.has(declaredName)) removed.push(node);
  return {
    name,
    module: removed.reduce(blank, text),
    imports: imports.map((each) => each.getText()),
    packages: packagesOf(source),
    cases: kept,
  };
}

/** Returns the values of all cases. */
export function valuesOf({ cases }: CaseFile): ZooValue[] {
  return cases.flatMap((of) => LISTS.flatMap((list) => of[list].map((text) => ({ of, list, text }))));
}

function readStatement(statement: ts.ExpressionStatement, statements: Map<string, Statements>): ts.Node {
  const { expression: call } = statement;
  const name = ts.isCallExpression(call) ? call.expression.getText() : "";
  if (!ts.isCallExpression(call) || !isStatementName(name)) {
    throw new Error(`"${statement.getText().slice(0, 60)}" is not a statement about a case.`);
  }
  const [of, ...rest] = call.arguments;
  if (of === undefined || rest.length === 0) throw new Error(`"${call.getText()}" needs a function and a value.`);
  const known = statements.get(of.getText()) ?? emptyStatements();
  statements.set(of.getText(), known);
  const isList = (LISTS as readonly string[]).includes(name);
  if (CALLS.includes(name)) known[name].push(`[${rest.map((each) => each.getText()).join(", ")}]`);
  else known[name].push(...rest.map((each) => (isList ? each.getText() : textOf(each))));
  return statement;
}

function isStatementName(name: string): name is keyof Statements {
  return [...LISTS, ...NAMES].includes(name as never);
}

function emptyStatements(): Statements {
  return Object.fromEntries([...LISTS, ...NAMES].map((name) => [name, []])) as unknown as Statements;
}

function textOf(node: ts.Expression): string {
  if (ts.isStringLiteral(node)) return node.text;
  throw new Error(`"${node.getText()}" is not a string.`);
}

function isVocabulary(statement: ts.Statement): boolean {
  return ts.isImportDeclaration(statement) && (statement.moduleSpecifier as ts.StringLiteral).text === VOCABULARY;
}

/** Returns the names that a statement exports. Types, codecs and constants need no expectations, only functions do. */
function exportedNames(statement: ts.Statement): string[] {
  if (ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause)) {
    return statement.isTypeOnly ? [] : statement.exportClause.elements.map(({ name }) => name.text);
  }
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  if (!modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
  if (ts.isFunctionDeclaration(statement)) return statement.name ? [statement.name.text] : [];
  if (!ts.isVariableStatement(statement)) return [];
  const declarations = statement.declarationList.declarations.filter(({ initializer }) => !isCodec(initializer));
  return declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
}

function isCodec(value: ts.Expression | undefined): boolean {
  return value !== undefined && ts.isCallExpression(value) && value.expression.getText() === "defineCodec";
}

function exportOf(path: string): string {
  return path.split(".")[0] ?? path;
}

function packagesOf(source: ts.SourceFile): string[] {
  const specifiers = source.statements.flatMap((statement) => {
    const isFrom = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement);
    const specifier = isFrom ? statement.moduleSpecifier : undefined;
    return specifier && ts.isStringLiteral(specifier) ? [specifier.text] : [];
  });
  const names = specifiers.filter((specifier) => !specifier.startsWith(".")).map(packageName);
  return [...new Set(names)];
}

function packageName(specifier: string): string {
  if (specifier.startsWith("node:")) return "@types/node";
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** Replaces a node with spaces, so that lines and columns stay the same. */
function blank(text: string, node: ts.Node): string {
  const start = node.getFullStart() + leadingBlank(node);
  return text.slice(0, start) + text.slice(start, node.end).replace(/[^\n]/g, " ") + text.slice(node.end);
}

/** The length of the white space before a node and its comments. */
function leadingBlank(node: ts.Node): number {
  return /^\s*/.exec(node.getFullText())?.[0].length ?? 0;
}

function lineOf(source: ts.SourceFile, position: number): number {
  return source.getLineAndCharacterOfPosition(position).line + 1;
}
