import { isBuiltin } from "node:module";
import { dirname, posix, relative, sep } from "node:path";
import ts from "typescript";
import type { Emission } from "../model/description.ts";
import { resolveModule } from "../program/host.ts";
import { implementationOf } from "../program/origin.ts";

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

/** The output paths of the author's files: the same tree, relative to their common directory. */
export interface Layout {
  /** The common directory. */
  readonly root: string;
  /** Returns the output path of a file, with forward slashes; undefined for a file that is not emitted. */
  outputOf(file: string): string | undefined;
}

/** @param beside - other files that keep their place relative to the author's. */
export function createLayout(files: readonly string[], beside: readonly string[] = []): Layout {
  const root = commonDirectory([...files, ...beside]);
  const outputs = new Map(files.map((file) => [file, toJavaScript(toPosix(relative(root, file)))] as const));
  return { root, outputOf: (file) => outputs.get(file) };
}

/** Converts a path to forward slashes, as specifiers and source maps need it. */
export function toPosix(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}

function toJavaScript(path: string): string {
  return path.replace(/\.([cm]?)[jt]sx?$/, ".$1js");
}

function commonDirectory(files: readonly string[]): string {
  let common = dirname(files[0] ?? ".");
  for (const file of files) {
    while (relative(common, file).startsWith("..")) common = dirname(common);
  }
  return common;
}

/** Returns the specifiers of packages that emitted files import or require, sorted: `proffer`, `zod/v4`. */
export function importedPackages({ files }: Emission): string[] {
  const specifiers = files
    .filter(({ path }) => !path.endsWith(".json"))
    .flatMap(({ text }) => ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName));
  // `#x` is resolved by the package.json of the project; what is left of them cannot be resolved.
  const packages = specifiers.filter((specifier) => /^[^./#]/.test(specifier) && !isBuiltin(specifier));
  return [...new Set(packages)].filter((specifier) => !URL.canParse(specifier)).sort();
}
