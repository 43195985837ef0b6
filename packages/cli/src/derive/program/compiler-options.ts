import { existsSync } from "node:fs";
import { dirname, join, parse } from "node:path";
import ts from "typescript";

/** How the author's files are compiled, and which files say so. */
export interface Configuration {
  options: ts.CompilerOptions;
  /** The tsconfig.json and what it extends. */
  files: string[];
  /** What is wrong with them. */
  errors: readonly ts.Diagnostic[];
  /** The author works without null checks, so that TypeScript's complaints are not all the author's mistakes. */
  lenient: boolean;
}

/** Where the compiler believes that it writes to. Nothing is ever written there; it keeps outputs apart from inputs. */
const OUTPUT_ROOT = ".proffer-output";

/** No files match the patterns of the tsconfig: we have our own entry. */
const NO_INPUTS = 18003;

/**
 * Reads the nearest tsconfig.json, if there is one, and sets what derivation depends on: null checks (without them
 * `string | null` is `string`), resolution as bundlers do it (the emitted specifiers are made to work in Node), modules
 * of ECMAScript, and types of Node from where the entry is, not from where the process was started.
 */
export function readConfiguration(entry: string): Configuration {
  const directory = dirname(entry);
  const path = findConfigFile(entry);
  const parsed = path === undefined ? undefined : readConfigFile(path);
  const own = withoutBuild(parsed?.options ?? {});
  const typeRoots = own.typeRoots ?? typeRootsAbove(directory);
  const hasNode = typeRoots.some((root) => existsSync(join(root, "node")));
  const root = parse(entry).root;
  return {
    files: parsed?.files ?? [],
    errors: parsed?.errors ?? [],
    lenient: parsed !== undefined && !(own.strictNullChecks ?? own.strict ?? true),
    options: {
      strict: true,
      ...own,
      strictNullChecks: true,
      exactOptionalPropertyTypes: false,

      target: ts.ScriptTarget.ES2022,
      lib: own.lib ?? (hasNode ? ["lib.es2023.d.ts"] : ["lib.es2023.d.ts", "lib.webworker.d.ts"]),
      types: own.types ?? (hasNode ? ["node"] : []),
      typeRoots,
      skipLibCheck: true,

      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      moduleDetection: ts.ModuleDetectionKind.Force,
      allowImportingTsExtensions: true,
      resolveJsonModule: true,
      allowJs: true,
      checkJs: own.checkJs ?? false,
      ...(own.jsx === ts.JsxEmit.Preserve && { jsx: ts.JsxEmit.ReactJSX }),

      rootDir: root,
      outDir: join(root, OUTPUT_ROOT),
      sourceMap: true,
      // What is emitted is for machines, and Node holds the text of all that it imports.
      removeComments: true,
    },
  };
}

/** The tsconfig.json nearest to a file. */
export function findConfigFile(entry: string): string | undefined {
  return ts.findConfigFile(dirname(entry), ts.sys.fileExists);
}

/** Options of the author's own build that would get in the way of ours. */
const BUILD_OPTIONS = [
  "tsBuildInfoFile",
  "outFile",
  "declarationDir",
  "sourceRoot",
  "mapRoot",
  "inlineSourceMap",
  "inlineSources",
  "declaration",
  "declarationMap",
  "emitDeclarationOnly",
  "isolatedDeclarations",
  "composite",
  "incremental",
  "noEmit",
  "noEmitOnError",
  "noLib",
  "noResolve",
  "noUnusedLocals",
  "noUnusedParameters",
];

function withoutBuild(options: ts.CompilerOptions): ts.CompilerOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !BUILD_OPTIONS.includes(name)));
}

function readConfigFile(path: string): { options: ts.CompilerOptions; files: string[]; errors: ts.Diagnostic[] } {
  const files: string[] = [];
  const host: ts.ParseConfigHost = {
    ...ts.sys,
    // The patterns of the file are about the author's build; looking them up could mean to walk a whole repository.
    readDirectory: () => [],
    readFile(file) {
      files.push(file);
      return ts.sys.readFile(file);
    },
  };
  const source = ts.readJsonConfigFile(path, host.readFile);
  const parsed = ts.parseJsonSourceFileConfigFileContent(source, host, dirname(path), undefined, path);
  return { options: parsed.options, files, errors: parsed.errors.filter(({ code }) => code !== NO_INPUTS) };
}

function typeRootsAbove(directory: string): string[] {
  const roots = [join(directory, "node_modules", "@types")];
  for (let at = directory; dirname(at) !== at; at = dirname(at)) {
    roots.push(join(dirname(at), "node_modules", "@types"));
  }
  return roots;
}
