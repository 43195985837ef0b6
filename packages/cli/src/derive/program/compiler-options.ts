import { dirname, join, parse } from "node:path";
import ts from "typescript";
import type { System } from "./system.ts";

/** The compiler options for the author's files, and the files they come from. */
export interface Configuration {
  options: ts.CompilerOptions;
  /** The tsconfig.json and the files that it extends. */
  files: string[];
  /** The errors in these files. */
  errors: readonly ts.Diagnostic[];
  /** The author turned null checks off, so TypeScript's errors are not all the author's mistakes. */
  lenient: boolean;
}

/** The compiler's output directory. Nothing is written to it; it only keeps output paths distinct from input paths. */
const OUTPUT_ROOT = ".proffer-output";

/** TypeScript's error for a tsconfig.json whose patterns match no file; ignored, because the entry is given. */
const NO_INPUTS = 18003;

/**
 * Reads the nearest tsconfig.json, if any, and sets the options that derivation depends on: null checks (without them
 * `string | null` is `string`), bundler module resolution (`emit` rewrites the specifiers for Node), ECMAScript
 * modules, and Node types relative to the entry instead of the current directory.
 */
export function readConfiguration(entry: string, system: System): Configuration {
  const directory = dirname(entry);
  const path = findConfigFile(entry, system);
  const parsed = path === undefined ? undefined : readConfigFile(path, system);
  const own = withoutBuildOptions(parsed?.options ?? {});
  const typeRoots = own.typeRoots ?? typeRootsAbove(directory);
  const hasNode = typeRoots.some((root) => system.directoryExists(join(root, "node")));
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
      ...((own.jsx ?? ts.JsxEmit.Preserve) === ts.JsxEmit.Preserve && { jsx: ts.JsxEmit.ReactJSX }),

      rootDir: root,
      outDir: join(root, OUTPUT_ROOT),
      sourceMap: true,
      // Nobody reads the output, and Node keeps the text of every imported module in memory.
      removeComments: true,
    },
  };
}

/** Returns the nearest tsconfig.json of a file. */
export function findConfigFile(entry: string, system: System): string | undefined {
  return ts.findConfigFile(dirname(entry), system.fileExists);
}

/** Options of the author's own build that conflict with ours. */
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

function withoutBuildOptions(options: ts.CompilerOptions): ts.CompilerOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !BUILD_OPTIONS.includes(name)));
}

function readConfigFile(
  path: string,
  system: System,
): { options: ts.CompilerOptions; files: string[]; errors: ts.Diagnostic[] } {
  const files: string[] = [];
  const host: ts.ParseConfigHost = {
    ...system,
    // The patterns are for the author's build; expanding them could walk a whole repository.
    readDirectory: () => [],
    readFile(file) {
      files.push(file);
      return system.readFile(file);
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
