import { basename } from "node:path";
import ts from "typescript";
import type { Analysis } from "./analysis.ts";

/** What ES modules have instead of the names of CommonJS. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ["__dirname", "import.meta.dirname"],
  ["__filename", "import.meta.filename"],
  ["require", "import, or createRequire(import.meta.url) of node:module"],
  ["module", "export"],
  ["exports", "export"],
]);

const NAMES = new RegExp(`\\b(?:${[...REMEDIES.keys()].join("|")})\\b|export\\s*=`);

/** Reports each file that would run as CommonJS only, at its first such place: Proffer runs modules as ES modules. */
export function reportCommonJs(analysis: Analysis, files: readonly ts.SourceFile[]): void {
  for (const file of files) {
    if (file.isDeclarationFile || /\.(?:cts|cjs|json)$/.test(file.fileName) || !NAMES.test(file.text)) continue;
    const found = findFirst(analysis, file, file);
    if (found === undefined) continue;
    const isAssignment = ts.isExportAssignment(found);
    const name = isAssignment ? "export =" : found.getText();
    const remedy = isAssignment ? "export for each function" : REMEDIES.get(name);
    analysis.report(
      "PF1009",
      { file, pos: found.getStart(file) },
      `'${name}' is CommonJS, but Proffer runs this file as an ES module. Write ${remedy}, or rename it to ${renamed(file)}.`,
    );
  }
}

function findFirst(analysis: Analysis, file: ts.SourceFile, node: ts.Node): ts.Node | undefined {
  if (ts.isExportAssignment(node) && node.isExportEquals) return node;
  if (ts.isTypeNode(node) || ts.isTypeOfExpression(node)) return undefined;
  if (ts.isIdentifier(node) && REMEDIES.has(node.text) && isCommonJs(analysis, file, node)) return node;
  return ts.forEachChild(node, (child) => findFirst(analysis, file, child));
}

/** Whether an identifier is the name of CommonJS, and not a property or a variable of the file. */
function isCommonJs({ checker, origins }: Analysis, file: ts.SourceFile, node: ts.Identifier): boolean {
  const { parent, text } = node;
  if ((parent as { name?: ts.Node }).name === node || (parent as { propertyName?: ts.Node }).propertyName === node)
    return false;
  // Code for both kinds of modules asks first.
  if (new RegExp(`typeof\\s+${text}\\b`).test(file.text)) return false;
  const isExports = text === "module" || text === "exports";
  if (isExports && !(ts.isPropertyAccessExpression(parent) && (text === "exports" || parent.name.text === "exports")))
    return false;
  const { declarations = [] } = checker.getSymbolAtLocation(node) ?? {};
  const isOwn = (each: ts.Declaration) => !ts.isSourceFile(each) && origins.isProject(each.getSourceFile());
  return !declarations.some(
    (each) => isOwn(each) && (!isExports || ts.isVariableDeclaration(each) || ts.isParameter(each)),
  );
}

function renamed({ fileName }: ts.SourceFile): string {
  return basename(fileName).replace(/\.[jt]sx?$/, (extension) => (extension.startsWith(".t") ? ".cts" : ".cjs"));
}
