import { dirname, join, parse } from "node:path";
import ts from "typescript";
import { createHost, nearestPackage, type System, stampOf } from "./host.ts";
import { implementationOf, isDependency } from "./origin.ts";

/** The author's files in the compiler at one point in time. */
export interface Snapshot {
  program: ts.Program;
  configuration: Configuration;
  /** The module whose exports are described: the entry, or the declaration file next to a JavaScript entry. */
  described: ts.SourceFile | undefined;
  system: System;
}

/**
 * Opens the program of a module. Returns a function that checks for changes and returns the current program. Only one
 * earlier program is kept, so the memory of a watcher stays flat.
 */
export function openProject(entry: string, system: System): () => Snapshot {
  const host = createHost(dirname(entry), system);
  let configuration: Configuration | undefined;
  let configurationStamp = "";
  let previous: ts.Program | undefined;
  let implementations: string[] = [];

  function configure(): Configuration {
    if (configuration && stampAll(entry, configuration, system) === configurationStamp) return configuration;
    configuration = readConfiguration(entry, system);
    configurationStamp = stampAll(entry, configuration, system);
    host.clear();
    previous = undefined;
    return configuration;
  }

  function build(options: ts.CompilerOptions): ts.Program {
    const rootNames = [...new Set([entry, describedFile(entry, system), ...implementations])];
    const oldProgram = previous && { oldProgram: previous };
    previous = ts.createProgram({ rootNames, options, host: host.forOptions(options), ...oldProgram });
    return previous;
  }

  return () => {
    const current = configure();
    implementations = implementations.filter((file) => system.fileExists(file));
    let program = build(current.options);
    for (;;) {
      const missing = missingImplementations(program, system);
      if (missing.length === 0) break;
      implementations.push(...missing);
      program = build(current.options);
    }
    host.keepOnly(program);
    const described = program.getSourceFile(describedFile(entry, system));
    return { program, configuration: current, described, system };
  };
}

/** Returns a string that changes with any file that the compiler options depend on. */
function stampAll(entry: string, { files }: Configuration, system: System): string {
  const all = [findConfigFile(entry, system), nearestPackage(dirname(entry), system), ...files];
  return all.map((file) => (file ? `${file}:${stampOf(file)}` : "")).join();
}

/**
 * Returns the file to describe. For an import, TypeScript prefers the declaration file to the JavaScript; for an entry
 * it does not look for one.
 */
function describedFile(entry: string, system: System): string {
  const declarations = entry.replace(/\.([cm]?)js$/, ".d.$1ts");
  return declarations !== entry && system.fileExists(declarations) ? declarations : entry;
}

/** Returns the JavaScript of the author's declaration files that is not in the program yet. */
function missingImplementations(program: ts.Program, system: System): string[] {
  const missing: string[] = [];
  for (const file of program.getSourceFiles()) {
    if (!file.isDeclarationFile || isDependency(file.fileName)) continue;
    if (program.isSourceFileDefaultLibrary(file) || program.isSourceFileFromExternalLibrary(file)) continue;
    const implementation = implementationOf(file.fileName);
    if (!program.getSourceFile(implementation) && system.fileExists(implementation)) missing.push(implementation);
  }
  return missing;
}

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
function readConfiguration(entry: string, system: System): Configuration {
  const directory = dirname(entry);
  const path = findConfigFile(entry, system);
  const parsed = path === undefined ? undefined : readConfigFile(path, system);
  const given = Object.entries(parsed?.options ?? {}).filter(([name]) => !BUILD_OPTIONS.includes(name));
  const own: ts.CompilerOptions = Object.fromEntries(given);
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
function findConfigFile(entry: string, system: System): string | undefined {
  return ts.findConfigFile(dirname(entry), system.fileExists);
}

/** Options of the author's own build that conflict with ours. */
const BUILD_OPTIONS: readonly string[] = [
  ...["tsBuildInfoFile", "outFile", "declarationDir", "sourceRoot", "mapRoot", "inlineSourceMap", "inlineSources"],
  ...["declaration", "declarationMap", "emitDeclarationOnly", "isolatedDeclarations", "composite", "incremental"],
  ...["noEmit", "noEmitOnError", "noLib", "noResolve", "noUnusedLocals", "noUnusedParameters"],
];

function readConfigFile(path: string, system: System) {
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
