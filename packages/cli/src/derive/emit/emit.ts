import { isBuiltin } from "node:module";
import { basename, dirname, posix, relative, resolve, sep } from "node:path";
import ts from "typescript";
import type { AddedExport } from "../exports/codecs.ts";
import { type Questions, SCHEMA_ARGUMENT } from "../exports/questions.ts";
import { SETTINGS_ARGUMENT } from "../exports/settings.ts";
import type { Emission, EmittedFile } from "../model/description.ts";
import type { Json } from "../model/json-schema.ts";
import { resolveModule } from "../program/host.ts";
import { implementationOf } from "../program/origin.ts";

/** The input of `emitFiles`. */
export interface EmitSource {
  readonly program: ts.Program;
  readonly entry: string;
  /** The author's files. */
  readonly files: readonly ts.SourceFile[];
  readonly questions: Questions;
  /** The calls of `defineSettings` without a schema. */
  readonly settings: Questions;
  /** The codecs that the entry does not export. */
  readonly codecs: readonly AddedExport[];
}

/**
 * Compiles the author's files to JavaScript modules that Node can run from any directory: import specifiers point to
 * the emitted files, and questions and settings include their schemas. Source maps are relative to `outDir`, the files' destination.
 * @param beside - other files that keep their place relative to the emitted ones
 */
export function emitFiles(
  { program, entry, files, questions, settings, codecs }: EmitSource,
  outDir: string,
  beside: readonly string[] = [],
): Emission {
  const sources = files.filter((file) => !file.isDeclarationFile);
  const layout = createLayout(
    sources.map(({ fileName }) => fileName),
    beside.map(toPosix),
  );
  const transformers: ts.CustomTransformers = {
    before: [addSchemas(questions, SCHEMA_ARGUMENT), addSchemas(settings, SETTINGS_ARGUMENT)],
    after: [rewriteSpecifiers(program, layout), addExports(entry, codecs, layout)],
  };
  const emitted: EmittedFile[] = [];
  for (const file of sources) {
    const path = layout.outputOf(file.fileName) ?? file.fileName;
    const content = file.fileName.endsWith(".json")
      ? { text: file.text }
      : emitFile(program, file, transformers, resolve(outDir, path));
    emitted.push({ path, source: file.fileName, ...content });
  }
  const main = layout.outputOf(entry) ?? layout.outputOf(implementationOf(entry));
  if (main === undefined) throw new Error(`${entry} declares only types, and there is no JavaScript file next to it.`);
  return { entry: main, root: layout.root, files: emitted };
}

function emitFile(
  program: ts.Program,
  file: ts.SourceFile,
  transformers: ts.CustomTransformers,
  target: string,
): { text: string; map: string } {
  let code = "";
  let map = "";
  program.emit(
    file,
    (name, text) => {
      if (name.endsWith(".map")) map = text;
      else code = text;
    },
    undefined,
    false,
    transformers,
  );
  const parsed = { ...JSON.parse(map), sources: [toPosix(relative(dirname(target), file.fileName))] };
  const body = code.replace(/\/\/# sourceMappingURL=[^\n]*\s*$/, "");
  const name = encodeURIComponent(basename(target));
  return { text: `${body}//# sourceMappingURL=${name}.map\n`, map: JSON.stringify(parsed) };
}

/** Adds a derived schema to each call, at an argument: `ask("…")` becomes `ask("…", { … })`. */
function addSchemas(calls: Questions, argument: number): ts.TransformerFactory<ts.SourceFile> {
  return (context) => {
    const { factory } = context;
    const visit = (node: ts.Node): ts.Node => {
      const visited = ts.visitEachChild(node, visit, context);
      // The transformer before this one may have replaced the node.
      const schema = calls.get(ts.getOriginalNode(node));
      if (schema === undefined || !ts.isCallExpression(visited)) return visited;
      const before = visited.arguments.slice(0, argument);
      const after = visited.arguments.slice(argument + 1);
      const args = [...before, toExpression(factory, schema), ...after];
      return factory.updateCallExpression(visited, visited.expression, visited.typeArguments, args);
    };
    return (file) => (calls.size === 0 ? file : ts.visitEachChild(file, visit, context));
  };
}

/** Exports codecs of other files from the entry, so that the run-time finds them in its namespace. */
function addExports(
  entry: string,
  codecs: readonly AddedExport[],
  layout: Layout,
): ts.TransformerFactory<ts.SourceFile> {
  return ({ factory }) =>
    (file) => {
      if (file.fileName !== entry || codecs.length === 0) return file;
      const added = codecs.map((codec) => {
        const specifier = factory.createExportSpecifier(false, codec.name, codec.exportName);
        const path = relativeSpecifier(layout, entry, codec.file) ?? codec.file;
        const names = factory.createNamedExports([specifier]);
        return factory.createExportDeclaration(undefined, false, names, factory.createStringLiteral(path));
      });
      return factory.updateSourceFile(file, [...file.statements, ...added]);
    };
}

function toExpression(factory: ts.NodeFactory, value: Json): ts.Expression {
  if (value === null) return factory.createNull();
  if (typeof value === "string") return factory.createStringLiteral(value);
  if (typeof value === "boolean") return value ? factory.createTrue() : factory.createFalse();
  if (typeof value === "number") {
    const literal = factory.createNumericLiteral(Math.abs(value));
    return value < 0 ? factory.createPrefixUnaryExpression(ts.SyntaxKind.MinusToken, literal) : literal;
  }
  if (Array.isArray(value))
    return factory.createArrayLiteralExpression(value.map((item) => toExpression(factory, item)));
  const properties = Object.entries(value).map(([key, item]) => {
    const name = factory.createStringLiteral(key);
    // In an object literal, `"__proto__": …` sets the prototype; a computed name defines a property.
    const safe = key === "__proto__" ? factory.createComputedPropertyName(name) : name;
    return factory.createPropertyAssignment(safe, toExpression(factory, item));
  });
  return factory.createObjectLiteralExpression(properties);
}

/** Returns the specifier of a file in the output of another; undefined if one of them is not emitted. */
function relativeSpecifier(layout: Layout, file: string, imported: string): string | undefined {
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
function rewriteSpecifiers(program: ts.Program, layout: Layout): ts.TransformerFactory<ts.SourceFile> {
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
      const isStatic = ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
      if (isStatic && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
        const path = rewrite(node.moduleSpecifier.text, fileName);
        const specifier = factory.createStringLiteral(path);
        const attributes = attributesFor(path, node.attributes);
        const { modifiers } = node;
        return ts.isImportDeclaration(node)
          ? factory.updateImportDeclaration(node, modifiers, node.importClause, specifier, attributes)
          : factory.updateExportDeclaration(node, modifiers, node.isTypeOnly, node.exportClause, specifier, attributes);
      }
      if (!isDeep) return node;
      const isImport = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
      return isImport ? visitDynamicImport(node) : ts.visitEachChild(node, visit, context);
    };

    const visitDynamicImport = (node: ts.CallExpression): ts.Node => {
      const [specifier, ...others] = node.arguments;
      if (specifier === undefined || !ts.isStringLiteral(specifier)) return ts.visitEachChild(node, visit, context);
      const path = rewrite(specifier.text, fileName);
      const rest = path.endsWith(".json") ? [toExpression(factory, { with: { type: "json" } })] : others;
      const args = [factory.createStringLiteral(path), ...rest];
      return factory.updateCallExpression(node, node.expression, undefined, args);
    };

    return ts.visitEachChild(file, visit, context);
  };
}

type Layout = ReturnType<typeof createLayout>;

/**
 * Returns the output paths of the author's files: the same tree, relative to their common directory.
 * @param beside - other files that keep their place relative to the author's.
 */
function createLayout(files: readonly string[], beside: readonly string[]) {
  const root = commonDirectory([...files, ...beside]);
  const toOutput = (file: string) => toPosix(relative(root, file)).replace(/\.([cm]?)[jt]sx?$/, ".$1js");
  const outputs = new Map(files.map((file) => [file, toOutput(file)] as const));
  /** Returns the output path of a file, with forward slashes; undefined for a file that is not emitted. */
  const outputOf = (file: string) => outputs.get(file);
  return { root, outputOf };
}

/** Converts a path to forward slashes, as specifiers and source maps need it. */
export function toPosix(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
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
  // `#x` is resolved by the package.json of the project; the others cannot be resolved.
  const packages = specifiers.filter((specifier) => /^[^./#]/.test(specifier) && !isBuiltin(specifier));
  return [...new Set(packages)].filter((specifier) => !URL.canParse(specifier)).sort();
}
