import { existsSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import ts from "typescript";
import { isDependency } from "./origin.ts";

/** What the compiler sees of the disk, kept from one program to the next. */
export interface Host {
  /** What a program needs to be created with these options. */
  forOptions(options: ts.CompilerOptions): ts.CompilerHost;
  /** Forgets the files that a program does not have. */
  keepOnly(program: ts.Program): void;
  /** Forgets everything. */
  clear(): void;
}

/** Opens a host. What did not change, by its time and size, is neither read nor parsed nor bound again. */
export function createHost(directory: string): Host {
  const files = new Map<string, { stamp: string; source: ts.SourceFile }>();
  // The author's files of which some import leads nowhere.
  const unresolved = new Set<ts.Path>();
  let packages: ts.PackageJsonInfoCache | undefined;

  function getSourceFile(file: string, given: ts.ScriptTarget | ts.CreateSourceFileOptions): ts.SourceFile | undefined {
    const stamp = stampOf(file);
    const cached = files.get(file);
    if (stamp === undefined) return undefined;
    if (cached?.stamp === stamp) return cached.source;
    const text = ts.sys.readFile(file);
    if (text === undefined) return undefined;
    const options = typeof given === "object" ? given : { languageVersion: given };
    // Comments are read by doc-comment.ts; the compiler itself needs them only where they hold the types.
    const { ParseAll, ParseNone } = ts.JSDocParsingMode;
    const jsDocParsingMode = /\.[cm]?jsx?$/.test(file) ? ParseAll : ParseNone;
    const source = ts.createSourceFile(file, text, { ...options, jsDocParsingMode });
    files.set(file, { stamp, source });
    return source;
  }

  return {
    forOptions(options) {
      const host = ts.createCompilerHost(options);
      const canonical = (file: string) => host.getCanonicalFileName(file);
      // A package that was missing may have been installed.
      if (unresolved.size > 0) packages = undefined;
      const cache = ts.createModuleResolutionCache(directory, canonical, options, packages);
      packages = cache.getPackageJsonInfoCache();
      return {
        ...host,
        getCurrentDirectory: () => directory,
        getSourceFile,
        getModuleResolutionCache: () => cache,
        resolveModuleNameLiterals(literals, file, _redirect, own, containing) {
          const resolved = literals.map(({ text }) => resolveModule(text, file, own, cache));
          const isMissing = literals.some(({ text }, index) => resolved[index] === undefined && !isBuiltin(text));
          if (isMissing && !isDependency(file)) unresolved.add(pathOf(containing));
          else unresolved.delete(pathOf(containing));
          return resolved.map((resolvedModule) => ({ resolvedModule }));
        },
        // A module that was missing may have come into being without any change of who imports it.
        hasInvalidatedResolutions: (path) => unresolved.has(path),
      };
    },
    keepOnly(program) {
      for (const file of files.keys()) if (!program.getSourceFile(file)) files.delete(file);
    },
    clear() {
      files.clear();
      unresolved.clear();
      packages = undefined;
    },
  };
}

/**
 * Resolves a module as the program does. Sources of another package of the workspace, which the package manager links
 * into node_modules, belong to the project: there may be no build of them to import.
 */
export function resolveModule(
  specifier: string,
  file: string,
  options: ts.CompilerOptions,
  cache?: ts.ModuleResolutionCache,
): ts.ResolvedModuleFull | undefined {
  const { resolvedModule } = ts.resolveModuleName(specifier, file, options, ts.sys, cache);
  if (!resolvedModule?.isExternalLibraryImport) return resolvedModule;
  const { resolvedFileName } = resolvedModule;
  const isSource = /\.[cm]?tsx?$/.test(resolvedFileName) && !/\.d\.[cm]?ts$/.test(resolvedFileName);
  if (!isSource || isDependency(resolvedFileName)) return resolvedModule;
  return { ...resolvedModule, isExternalLibraryImport: false };
}

/** What changes when a file does; undefined if there is no such file. */
export function stampOf(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() ? `${stat.mtimeMs}:${stat.size}` : undefined;
}

/** The package.json nearest to a directory, with or without a name in it. */
export function nearestPackage(directory: string): string | undefined {
  const file = join(directory, "package.json");
  if (existsSync(file)) return file;
  const parent = dirname(directory);
  return parent === directory ? undefined : nearestPackage(parent);
}

/** TypeScript keys its files by a path that the public type does not show. */
function pathOf(file: ts.SourceFile): ts.Path {
  return (file as ts.SourceFile & { path: ts.Path }).path;
}
