import ts from "typescript";
import type { Edit } from "./module-function.ts";

/** The imports of a module from another one. */
export interface ModuleImport {
  readonly specifier: string;
  /** The names that the other module must export. */
  readonly names: string[];
  /** The module re-exports everything: `export * from`. */
  star: boolean;
}

/** A module while it is converted to a function. */
export interface ModuleDraft {
  readonly file: ts.SourceFile;
  /** The name of the function's argument. */
  readonly argument: string;
  /** The variable for a default export without a name. */
  readonly fallback: string;
  readonly imports: ModuleImport[];
  /** The imported names, each with its declaration and the expression that replaces it. */
  readonly references: Map<string, { readonly declaration: ts.Node; readonly text: string }>;
  /** The exported names, each with the expression of its value. */
  readonly exports: Map<string, string>;
  readonly edits: Edit[];
}

/** Records the module that a statement imports from, if any. Modules are evaluated in the order of these statements. */
export function readSpecifier(draft: ModuleDraft, statement: ts.Statement): void {
  const isImport = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement);
  if (isImport && statement.moduleSpecifier) indexOf(draft, statement.moduleSpecifier);
}

/** Removes an import statement and records its bindings. */
export function readImport(draft: ModuleDraft, statement: ts.ImportDeclaration): void {
  blank(draft, statement.getStart(draft.file), statement.end);
  const index = indexOf(draft, statement.moduleSpecifier);
  const clause = statement.importClause;
  if (clause?.name) {
    draft.references.set(clause.name.text, { declaration: clause, text: member(draft, index, "default") });
  }
  const bindings = clause?.namedBindings;
  if (bindings === undefined) return;
  if (ts.isNamespaceImport(bindings)) {
    draft.references.set(bindings.name.text, { declaration: bindings, text: namespace(draft, index) });
    return;
  }
  for (const element of bindings.elements) {
    const text = member(draft, index, (element.propertyName ?? element.name).text);
    draft.references.set(element.name.text, { declaration: element, text });
  }
}

/** Removes the export syntax of a statement and records its exports. The imports must have been read before. */
export function readExport(draft: ModuleDraft, statement: ts.Statement): void {
  if (ts.isExportDeclaration(statement)) {
    readExportList(draft, statement);
    return;
  }
  const start = statement.getStart(draft.file);
  if (ts.isExportAssignment(statement)) {
    const end = statement.expression.getStart(draft.file);
    draft.edits.push({ start, end, text: `const ${draft.fallback} = ` });
    draft.exports.set("default", draft.fallback);
    return;
  }
  const end = exportingModifiers(statement).at(-1)?.end;
  if (end === undefined) return;
  if (ts.isClassDeclaration(statement) && statement.name === undefined) {
    draft.edits.push({ start, end, text: `const ${draft.fallback} =` });
    insert(draft, statement.end, ";");
    draft.exports.set("default", draft.fallback);
    return;
  }
  blank(draft, start, end);
  if (ts.isVariableStatement(statement)) {
    const names = statement.declarationList.declarations.flatMap(({ name }) => namesIn(name));
    for (const name of names) draft.exports.set(name, name);
  } else if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
    const name = statement.name?.text ?? draft.fallback;
    draft.exports.set(exportingModifiers(statement).length > 1 ? "default" : name, name);
    if (!statement.name && ts.isFunctionDeclaration(statement)) insert(draft, statement.parameters.pos - 1, ` ${name}`);
  }
}

function readExportList(draft: ModuleDraft, statement: ts.ExportDeclaration): void {
  blank(draft, statement.getStart(draft.file), statement.end);
  const { exportClause: clause, moduleSpecifier } = statement;
  const index = moduleSpecifier && indexOf(draft, moduleSpecifier);
  if (clause && ts.isNamedExports(clause)) {
    for (const { name, propertyName = name } of clause.elements) {
      const local = propertyName.text;
      const own = draft.references.get(local)?.text ?? local;
      draft.exports.set(name.text, index === undefined ? own : member(draft, index, local));
    }
  } else if (clause && index !== undefined) {
    draft.exports.set(clause.name.text, namespace(draft, index));
  } else {
    const all = draft.imports[index ?? -1];
    if (all) all.star = true;
  }
}

/** Returns the modifiers `export` and `default` of a statement. */
function exportingModifiers(statement: ts.Statement): readonly ts.Modifier[] {
  const modifiers = (ts.canHaveModifiers(statement) && ts.getModifiers(statement)) || [];
  return modifiers.filter(({ kind }) => kind === ts.SyntaxKind.ExportKeyword || kind === ts.SyntaxKind.DefaultKeyword);
}

function indexOf({ imports }: ModuleDraft, expression: ts.Expression): number {
  const specifier = ts.isStringLiteral(expression) ? expression.text : "";
  const known = imports.findIndex((each) => each.specifier === specifier);
  return known >= 0 ? known : imports.push({ specifier, names: [], star: false }) - 1;
}

function namespace({ argument }: ModuleDraft, index: number): string {
  return `${argument}[${index}]`;
}

function member(draft: ModuleDraft, index: number, name: string): string {
  draft.imports[index]?.names.push(name);
  const isPlain = /^[\w$]+$/.test(name);
  return `${namespace(draft, index)}${isPlain ? `.${name}` : `[${JSON.stringify(name)}]`}`;
}

function namesIn(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : namesIn(element.name)));
}

/** Replaces a range with spaces, so the positions of all other code stay the same. */
function blank({ file, edits }: ModuleDraft, start: number, end: number): void {
  edits.push({ start, end, text: file.text.slice(start, end).replaceAll(/[^\n]/g, " ") });
}

function insert({ edits }: ModuleDraft, at: number, text: string): void {
  edits.push({ start: at, end: at, text });
}

/** Replaces every use of an imported name, `import.meta` and `import()`. */
export function rewriteReferences({ file, argument, references, edits }: ModuleDraft): void {
  const checker = references.size > 0 ? createChecker(file) : undefined;

  function visit(node: ts.Node): void {
    const isMeta = ts.isMetaProperty(node) && node.keywordToken === ts.SyntaxKind.ImportKeyword;
    if (ts.isIdentifier(node)) visitName(node);
    else if (isMeta) replace(node, `${argument}.meta`);
    else if (node.kind === ts.SyntaxKind.ImportKeyword) replace(node, `${argument}.import`);
    else if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) ts.forEachChild(node, visit);
  }

  function replace(node: ts.Node, text: string, options?: Pick<Edit, "covers">): void {
    edits.push({ start: node.getStart(file), end: node.end, text, ...options });
  }

  function visitName(node: ts.Identifier): void {
    const reference = references.get(node.text);
    if (reference === undefined || symbolOf(node)?.declarations?.[0] !== reference.declaration) return;
    const isShort = ts.isShorthandPropertyAssignment(node.parent) && node.parent.name === node;
    if (isShort) replace(node, `${node.text}: ${reference.text}`);
    // The call has no `this`, and is still mapped to the name.
    else if (isCalled(node)) replace(node, `(0, ${reference.text})`, { covers: true });
    else replace(node, reference.text);
  }

  function symbolOf(node: ts.Identifier): ts.Symbol | undefined {
    const { parent } = node;
    if (ts.isPropertyAccessExpression(parent) && parent.name === node) return undefined;
    return ts.isShorthandPropertyAssignment(parent) && parent.name === node
      ? checker?.getShorthandAssignmentValueSymbol(parent)
      : checker?.getSymbolAtLocation(node);
  }

  visit(file);
}

function isCalled(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isTaggedTemplateExpression(parent)) return parent.tag === node;
  return ts.isCallExpression(parent) && parent.expression === node;
}

/** Creates a checker that knows only the scopes of one file. */
function createChecker(file: ts.SourceFile): ts.TypeChecker {
  const options: ts.CompilerOptions = {
    allowJs: true,
    noLib: true,
    noResolve: true,
    types: [],
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleDetection: ts.ModuleDetectionKind.Force,
  };
  const host: ts.CompilerHost = {
    getSourceFile: (name) => (name === file.fileName ? file : undefined),
    fileExists: (name) => name === file.fileName,
    readFile: () => undefined,
    writeFile: () => {},
    getDefaultLibFileName: () => "lib.d.ts",
    getCurrentDirectory: () => "/",
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
  };
  return ts.createProgram({ rootNames: [file.fileName], options, host }).getTypeChecker();
}
