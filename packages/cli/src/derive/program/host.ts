import { readFileSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import ts from "typescript";
import { isDependency } from "./origin.ts";

/** Is notified of each part of the file system that a derivation depends on. */
export interface FileObserver {
  /** The content of a file was read. */
  read(path: string, content: Buffer): void;
  /** A file was found; its content may follow. */
  found(path: string): void;
  /** There is no file, or no folder, at this path. */
  missing(path: string): void;
  /** The names in a folder were read. */
  listed(path: string): void;
}

/** The operations of the file system that derivation uses. Code in `derive` must not access files in another way. */
export type System = Pick<
  ts.System,
  "fileExists" | "directoryExists" | "readFile" | "readDirectory" | "useCaseSensitiveFileNames"
> &
  Required<Pick<ts.System, "getDirectories" | "realpath">>;

/** Returns the file system, and reports its use to an observer if there is one. */
export function createSystem(observer?: FileObserver): System {
  const system = { ...ts.sys, realpath: ts.sys.realpath ?? ((path: string) => path) };
  if (observer === undefined) return system;
  return {
    ...system,
    fileExists(path) {
      const exists = ts.sys.fileExists(path);
      if (exists) observer.found(path);
      else observer.missing(path);
      return exists;
    },
    directoryExists(path) {
      const exists = ts.sys.directoryExists(path);
      if (!exists) observer.missing(path);
      return exists;
    },
    readFile(path) {
      let content: Buffer;
      try {
        content = readFileSync(path);
      } catch {
        observer.missing(path);
        return undefined;
      }
      observer.read(path, content);
      return decode(content);
    },
    getDirectories(path) {
      observer.listed(path);
      return ts.sys.getDirectories(path);
    },
  };
}

/** Decodes a file like `ts.sys.readFile`, which does not return the bytes that a digest must cover. */
function decode(content: Buffer): string {
  const [first, second, third] = content;
  if (first === 0xfe && second === 0xff) {
    return Buffer.from(content.subarray(0, content.length & ~1))
      .swap16()
      .toString("utf16le", 2);
  }
  if (first === 0xff && second === 0xfe) return content.toString("utf16le", 2);
  return content.toString("utf8", first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0);
}

/**
 * Creates the compiler's view of the file system, cached between programs. A file with the same modification time and size is not read, parsed or bound again, and neither is a
 * file of a dependency that another host has parsed.
 */
export function createHost(directory: string, system: System) {
  const files = new Map<string, { stamp: string; source: ts.SourceFile }>();
  // The author's files that have an unresolved import.
  const unresolved = new Set<ts.Path>();
  let packages: ts.PackageJsonInfoCache | undefined;
  // Names the options that the tree of a file depends on.
  let optionsKey = "";

  function parse(file: string, text: string, given: ts.CreateSourceFileOptions): ts.SourceFile {
    // comments/ parses the comments; the compiler needs them only in JavaScript, where they declare the types.
    const { ParseAll, ParseNone } = ts.JSDocParsingMode;
    const options = { ...given, jsDocParsingMode: /\.[cm]?jsx?$/.test(file) ? ParseAll : ParseNone };
    if (!isDependency(file)) return ts.createSourceFile(file, text, options);
    return shareFile(file, text, `${optionsKey} ${given.languageVersion} ${given.impliedNodeFormat}`, () =>
      ts.createSourceFile(file, text, options),
    );
  }

  function getSourceFile(file: string, given: ts.ScriptTarget | ts.CreateSourceFileOptions): ts.SourceFile | undefined {
    const stamp = stampOf(file);
    const cached = files.get(file);
    if (stamp === undefined) {
      // For the observer: a reference to a missing file is not looked up before.
      system.fileExists(file);
      return undefined;
    }
    if (cached?.stamp === stamp) return cached.source;
    const text = system.readFile(file);
    if (text === undefined) return undefined;
    const source = parse(file, text, typeof given === "object" ? given : { languageVersion: given });
    files.set(file, { stamp, source });
    return source;
  }

  return {
    /** Creates the compiler host of a program with these options. */
    forOptions(options: ts.CompilerOptions): ts.CompilerHost {
      const host = ts.createCompilerHost(options);
      optionsKey = String(registry.getKeyForCompilationSettings(options));
      const canonical = (file: string) => host.getCanonicalFileName(file);
      // A package that was missing may have been installed.
      if (unresolved.size > 0) packages = undefined;
      const cache = ts.createModuleResolutionCache(directory, canonical, options, packages);
      packages = cache.getPackageJsonInfoCache();
      return {
        ...host,
        fileExists: system.fileExists,
        directoryExists: system.directoryExists,
        readFile: system.readFile,
        getDirectories: system.getDirectories,
        realpath: system.realpath,
        getCurrentDirectory: () => directory,
        getSourceFile,
        getModuleResolutionCache: () => cache,
        resolveModuleNameLiterals(literals, file, _redirect, own, containing) {
          const resolved = literals.map(({ text }) => resolveModule(text, file, own, cache, system));
          const isMissing = literals.some(({ text }, index) => resolved[index] === undefined && !isBuiltin(text));
          if (isMissing && !isDependency(file)) unresolved.add(pathOf(containing));
          else unresolved.delete(pathOf(containing));
          return resolved.map((resolvedModule) => ({ resolvedModule }));
        },
        // A missing module may have been created without a change of the file that imports it.
        hasInvalidatedResolutions: (path) => unresolved.has(path),
      };
    },
    /** Drops cached files that are not part of the program. */
    keepOnly(program: ts.Program): void {
      for (const file of files.keys()) if (!program.getSourceFile(file)) files.delete(file);
    },
    /** Clears the cache. */
    clear(): void {
      files.clear();
      unresolved.clear();
      packages = undefined;
    },
  };
}

/** Used only for its keys: two programs with the same key may share the trees of files. */
const registry = ts.createDocumentRegistry();

/** The files of dependencies and of TypeScript's library, which most programs have in common. */
const shared = new Map<string, { readonly text: string; readonly source: ts.SourceFile }>();

/** After this time in milliseconds without a new file, nothing is shared: a server must not keep the memory. */
const SHARED_FOR = 10_000;
let release: NodeJS.Timeout | undefined;

/** Returns the tree of a file with this text, which another host may have parsed with the same options. */
function shareFile(file: string, text: string, options: string, parse: () => ts.SourceFile): ts.SourceFile {
  release ??= setTimeout(() => {
    shared.clear();
    release = undefined;
  }, SHARED_FOR).unref();
  release.refresh();
  const key = `${file} ${options}`;
  const known = shared.get(key);
  if (known?.text === text) return known.source;
  const source = parse();
  shared.set(key, { text, source });
  return source;
}

/**
 * Resolves a module as the program does. Sources of another workspace package, which the package manager links into
 * node_modules, are part of the project, because there may be no build of them to import.
 */
export function resolveModule(
  specifier: string,
  file: string,
  options: ts.CompilerOptions,
  cache?: ts.ModuleResolutionCache,
  system: ts.ModuleResolutionHost = ts.sys,
): ts.ResolvedModuleFull | undefined {
  const { resolvedModule } = ts.resolveModuleName(specifier, file, options, system, cache);
  if (!resolvedModule?.isExternalLibraryImport) return resolvedModule;
  const { resolvedFileName } = resolvedModule;
  const isSource = /\.[cm]?tsx?$/.test(resolvedFileName) && !/\.d\.[cm]?ts$/.test(resolvedFileName);
  if (!isSource || isDependency(resolvedFileName)) return resolvedModule;
  return { ...resolvedModule, isExternalLibraryImport: false };
}

/** Returns a string that changes with the file; undefined if the file does not exist. */
export function stampOf(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() ? `${stat.mtimeMs}:${stat.size}` : undefined;
}

/** Returns the nearest package.json of a directory, with or without a name in it. */
export function nearestPackage(directory: string, system: System): string | undefined {
  const file = join(directory, "package.json");
  if (system.fileExists(file)) return file;
  const parent = dirname(directory);
  return parent === directory ? undefined : nearestPackage(parent, system);
}

/** Returns the path by which TypeScript keys its files; the public type does not have it. */
function pathOf(file: ts.SourceFile): ts.Path {
  return (file as ts.SourceFile & { path: ts.Path }).path;
}
