import ts from "typescript";
import { aliasTarget } from "./type-node.ts";

/** Names that a project gets with the types of Node. */
const NODE_NAMES = new Set(["Buffer", "NodeJS", "process", "global", "require", "console", "setTimeout"]);

/** Says why a type could not be found out, and what would make it known. */
export function describeUnresolved(
  checker: ts.TypeChecker,
  subject: string,
  place: ts.Node | undefined,
  node: ts.TypeNode | undefined,
): string {
  const name = node && findUnresolvedName(checker, node);
  if (name === undefined) {
    const where = place && ts.isFunctionLike(place) ? "declare the type that it returns" : "declare its type";
    return `${subject} has a type that cannot be resolved: ${where}, or see which import TypeScript misses.`;
  }
  return `${subject} has the type '${name.getText()}', which cannot be resolved: ${remedyFor(checker, name)}.`;
}

/** The first name in a type node that means nothing. */
function findUnresolvedName(checker: ts.TypeChecker, node: ts.Node): ts.EntityName | undefined {
  if (ts.isTypeReferenceNode(node)) {
    const symbol = checker.getSymbolAtLocation(node.typeName);
    const target = symbol && aliasTarget(checker, symbol);
    if (target?.declarations === undefined) return node.typeName;
  }
  return ts.forEachChild(node, (child) => findUnresolvedName(checker, child));
}

function remedyFor(checker: ts.TypeChecker, name: ts.EntityName): string {
  const first = ts.isIdentifier(name) ? name : leftmost(name);
  const specifier = importOf(checker, first);
  if (specifier === undefined) {
    return NODE_NAMES.has(first.text)
      ? "npm install --save-dev @types/node"
      : `import '${first.text}' from where it is declared`;
  }
  const module = specifier.text;
  if (checker.getSymbolAtLocation(specifier)) return `"${module}" exports nothing of that name`;
  if (module.startsWith(".")) return `there is no file "${module}"`;
  if (module.startsWith("node:")) return "npm install --save-dev @types/node";
  return `"${module}" has no types here: npm install ${packageName(module)}`;
}

/** The module from which a name was imported. */
function importOf(checker: ts.TypeChecker, name: ts.Identifier): ts.StringLiteral | undefined {
  const declaration = checker.getSymbolAtLocation(name)?.declarations?.[0];
  const statement = declaration && ts.findAncestor(declaration, ts.isImportDeclaration);
  return statement && ts.isStringLiteral(statement.moduleSpecifier) ? statement.moduleSpecifier : undefined;
}

function leftmost(name: ts.QualifiedName): ts.Identifier {
  return ts.isIdentifier(name.left) ? name.left : leftmost(name.left);
}

function packageName(module: string): string {
  return module
    .split("/")
    .slice(0, module.startsWith("@") ? 2 : 1)
    .join("/");
}
