import { dirname, posix } from "node:path";
import ts from "typescript";
import { resolveModule } from "../program/host.ts";
import { implementationOf } from "../program/origin.ts";
import type { Layout } from "./layout.ts";

/** Returns the specifier of a file in the output of another; undefined if one of them is not emitted. */
export function relativeSpecifier(layout: Layout, file: string, imported: string): string | undefined {
  const target = layout.outputOf(imported) ?? layout.outputOf(implementationOf(imported));
  const from = layout.outputOf(file);
  if (!target || !from) return undefined;
  const path = posix.relative(dirname(from), target);
  return path.startsWith("../") ? path : `./${path}`;
}

/**
 * Rewrites import specifiers to the emitted files: `./x.ts`, `./x`, aliases of tsconfig `paths` and package imports
 * (`#x`) all become relative paths of JavaScript files. Specifiers of packages stay. JSON imports get the attribute
 * `type: "json"`, which Node requires.
 */
export function rewriteSpecifiers(program: ts.Program, layout: Layout): ts.TransformerFactory<ts.SourceFile> {
  const options = program.getCompilerOptions();
  const cache = ts.createModuleResolutionCache(program.getCurrentDirectory(), (name) => name, options);

  function rewrite(specifier: string, file: string): string {
    const resolved = resolveModule(specifier, file, options, cache)?.resolvedFileName;
    return (resolved && relativeSpecifier(layout, file, resolved)) ?? specifier;
  }

  return (context) => (file) => {
    const { factory } = context;
    const { fileName } = file;
    // Static imports are top-level statements; only dynamic imports require a walk of the whole file.
    const isDeep = /\bimport\s*\(/.test(file.text);
    const jsonAttribute = () =>
      factory.createImportAttribute(factory.createIdentifier("type"), factory.createStringLiteral("json"));
    const attributesFor = (path: string, given: ts.ImportAttributes | undefined) =>
      path.endsWith(".json") ? factory.createImportAttributes(factory.createNodeArray([jsonAttribute()])) : given;

    const visit = (node: ts.Node): ts.Node => {
      if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
        const path = rewrite(node.moduleSpecifier.text, fileName);
        const specifier = factory.createStringLiteral(path);
        return factory.updateImportDeclaration(
          node,
          node.modifiers,
          node.importClause,
          specifier,
          attributesFor(path, node.attributes),
        );
      }
      if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
        const path = rewrite(node.moduleSpecifier.text, fileName);
        const specifier = factory.createStringLiteral(path);
        return factory.updateExportDeclaration(
          node,
          node.modifiers,
          node.isTypeOnly,
          node.exportClause,
          specifier,
          attributesFor(path, node.attributes),
        );
      }
      if (!isDeep) return node;
      const isImport = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
      return isImport ? visitDynamicImport(node) : ts.visitEachChild(node, visit, context);
    };

    const visitDynamicImport = (node: ts.CallExpression): ts.Node => {
      const [specifier, ...others] = node.arguments;
      if (specifier === undefined || !ts.isStringLiteral(specifier)) return ts.visitEachChild(node, visit, context);
      const path = rewrite(specifier.text, fileName);
      const attributes = factory.createObjectLiteralExpression([
        factory.createPropertyAssignment(
          "with",
          factory.createObjectLiteralExpression([
            factory.createPropertyAssignment("type", factory.createStringLiteral("json")),
          ]),
        ),
      ]);
      const rest = path.endsWith(".json") ? [attributes] : others;
      return factory.updateCallExpression(node, node.expression, undefined, [
        factory.createStringLiteral(path),
        ...rest,
      ]);
    };

    return ts.visitEachChild(file, visit, context);
  };
}
