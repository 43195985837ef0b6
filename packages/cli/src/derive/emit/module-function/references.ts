import ts from "typescript";
import type { ModuleDraft } from "./module-draft.ts";

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

  function replace(node: ts.Node, text: string): void {
    edits.push({ start: node.getStart(file), end: node.end, text });
  }

  function visitName(node: ts.Identifier): void {
    const reference = references.get(node.text);
    if (reference === undefined || symbolOf(node)?.declarations?.[0] !== reference.declaration) return;
    const isShort = ts.isShorthandPropertyAssignment(node.parent) && node.parent.name === node;
    if (isShort) replace(node, `${node.text}: ${reference.text}`);
    else if (isCalled(node)) replaceCalled(node, reference.text);
    else replace(node, reference.text);
  }

  /** Replaces a called name with `(0, member)`, so the call has no `this`. The call is still mapped to the name. */
  function replaceCalled(node: ts.Identifier, text: string): void {
    edits.push({ start: node.getStart(file), end: node.end, text: `(0, ${text})`, covers: true });
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
