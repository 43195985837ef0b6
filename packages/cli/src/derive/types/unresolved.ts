import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import type { Conversion } from "./conversion.ts";
import { aliasTarget } from "./type-node.ts";

/** Names that @types/node declares. */
const NODE_NAMES = new Set(["Buffer", "NodeJS", "process", "global", "require", "console", "setTimeout"]);

const INSTALL_NODE_TYPES = "Run: npm install --save-dev @types/node";

/** Describes why a type cannot be resolved and how to fix it. */
export function describeUnresolved(
  { checker, origins, subject, place, library }: Conversion,
  node?: ts.TypeNode,
): string {
  const name = node && findUnresolvedName(checker, node);
  const isImported = name && importOf(checker, firstOf(name)) !== undefined;
  if (place === undefined && library !== undefined && !origins.hasDom() && !isImported) {
    return `The types of ${library} need others that cannot be resolved, probably those of the DOM. Add "dom" to "lib" in tsconfig.json.`;
  }
  if (name === undefined) {
    const wanted = place && ts.isFunctionLike(place) ? "the return type" : "its type";
    return `${subject} has a type that cannot be resolved. Declare ${wanted}, or fix the import that TypeScript cannot find.`;
  }
  return `${subject} has the type '${name.getText()}', which cannot be resolved. ${remedyFor(checker, name)}.`;
}

/** Returns the first name in a type node that has no declaration. */
function findUnresolvedName(checker: ts.TypeChecker, node: ts.Node): ts.EntityName | undefined {
  if (ts.isTypeReferenceNode(node)) {
    const symbol = checker.getSymbolAtLocation(node.typeName);
    const target = symbol && aliasTarget(checker, symbol);
    if (target?.declarations === undefined) return node.typeName;
  }
  return ts.forEachChild(node, (child) => findUnresolvedName(checker, child));
}

function remedyFor(checker: ts.TypeChecker, name: ts.EntityName): string {
  const first = firstOf(name);
  const specifier = importOf(checker, first);
  if (specifier === undefined) {
    return NODE_NAMES.has(first.text) ? INSTALL_NODE_TYPES : `Import '${first.text}' from the module that declares it`;
  }
  const module = specifier.text;
  if (checker.getSymbolAtLocation(specifier)) return `"${module}" does not export it`;
  if (module.startsWith(".")) return `The file "${module}" does not exist`;
  if (module.startsWith("node:")) return INSTALL_NODE_TYPES;
  const wanted = module.split("/", module.startsWith("@") ? 2 : 1).join("/");
  const own = isLinked(dirname(first.getSourceFile().fileName), wanted);
  if (own)
    return `"${module}" is a package of this workspace that is not built; run its build, such as: npx tsc --build`;
  return `No types for "${module}" were found; run: npm install ${wanted}`;
}

function firstOf(name: ts.EntityName): ts.Identifier {
  return ts.isIdentifier(name) ? name : firstOf(name.left);
}

/** Whether a package is a link, as npm makes one for each package of a workspace. */
function isLinked(directory: string, name: string): boolean {
  const stat = lstatSync(join(directory, "node_modules", name), { throwIfNoEntry: false });
  if (stat !== undefined) return stat.isSymbolicLink();
  return dirname(directory) !== directory && isLinked(dirname(directory), name);
}

/** Returns the specifier of the module that a name is imported from. */
function importOf(checker: ts.TypeChecker, name: ts.Identifier): ts.StringLiteral | undefined {
  const declaration = checker.getSymbolAtLocation(name)?.declarations?.[0];
  const statement = declaration && ts.findAncestor(declaration, ts.isImportDeclaration);
  return statement && ts.isStringLiteral(statement.moduleSpecifier) ? statement.moduleSpecifier : undefined;
}
