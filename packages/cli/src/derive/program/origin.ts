import { dirname, join } from "node:path";
import ts from "typescript";
import type { System } from "./host.ts";

/** The package whose types get special treatment. */
const RUNTIME_PACKAGE = "proffer";

/** Packages that declare host APIs, like the default library. */
const HOST_PACKAGES = new Set(["@types/node", "undici-types", "buffer", "bun-types", "@cloudflare/workers-types"]);

export type Origins = ReturnType<typeof createOrigins>;

/** Creates the functions that find where a declaration comes from. */
export function createOrigins(program: ts.Program, packageOf: FindPackage) {
  const platform = new Map<ts.Symbol, boolean>();

  function isPlatformFile(file: ts.SourceFile): boolean {
    if (program.isSourceFileDefaultLibrary(file)) return true;
    return isDependency(file.fileName) && HOST_PACKAGES.has(packageOf(file.fileName)?.name ?? "");
  }

  return {
    packageOf,
    /** Whether the language or the host declares it, as it does Date and Buffer. */
    isPlatform(symbol: ts.Symbol): boolean {
      let known = platform.get(symbol);
      if (known === undefined) {
        known = symbol.declarations?.some((declaration) => isPlatformFile(declaration.getSourceFile())) ?? false;
        platform.set(symbol, known);
      }
      return known;
    },
    /** Whether the program knows the types of browsers. */
    hasDom: (): boolean => program.getSourceFiles().some(({ fileName }) => fileName.endsWith("/lib.dom.d.ts")),
    /** Whether the run-time package declares it with this name. */
    isRuntime(symbol: ts.Symbol | undefined, name: string): boolean {
      if (symbol?.name !== name) return false;
      return symbol.declarations?.some((declaration) => isRuntimeFile(declaration.getSourceFile(), packageOf)) ?? false;
    },
    /** Whether the file belongs to the author: it is neither a library nor a dependency. */
    isProject: (file: ts.SourceFile): boolean => isProjectFile(program, file, packageOf),
    /** Returns the JavaScript next to a declaration file of the author, if there is any. */
    implementation(file: ts.SourceFile): ts.SourceFile | undefined {
      const isOwn = file.isDeclarationFile && isProjectFile(program, file, packageOf);
      return isOwn ? program.getSourceFile(implementationOf(file.fileName)) : undefined;
    },
  };
}

/** Whether a file of the program belongs to the author. The run-time's own sources in a workspace do not. */
export function isProjectFile(program: ts.Program, file: ts.SourceFile, packageOf: FindPackage): boolean {
  if (program.isSourceFileDefaultLibrary(file) || program.isSourceFileFromExternalLibrary(file)) return false;
  return !isDependency(file.fileName) && !isRuntimeFile(file, packageOf);
}

/** Returns the path of the JavaScript next to a declaration file. */
export function implementationOf(declarations: string): string {
  return declarations.replace(/\.d\.([cm]?)ts$/, ".$1js");
}

export function isDependency(file: string): boolean {
  return file.includes("/node_modules/");
}

/** Whether a type is the `Context`. A parameter of this type is not an argument; the run-time passes it. */
export function isContext(origins: Origins, type: ts.Type): boolean {
  return origins.isRuntime(type.symbol, "Context");
}

/**
 * Returns the kind of a value that the run-time's functions (`text`, `fail`, `result`, …) create. Their types have a
 * symbol property of the run-time whose type is the name of the kind. Undefined for any other type.
 */
export function contentKindOf(checker: ts.TypeChecker, origins: Origins, type: ts.Type): string | undefined {
  if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return undefined;
  for (const property of checker.getPropertiesOfType(type)) {
    if (!property.name.startsWith("__@KIND@")) continue;
    const declaration = property.declarations?.[0];
    const kind = checker.getTypeOfSymbol(property);
    if (declaration && isRuntimeFile(declaration.getSourceFile(), origins.packageOf) && kind.isStringLiteral()) {
      return kind.value;
    }
  }
  return undefined;
}

function isRuntimeFile(file: ts.SourceFile, packageOf: FindPackage): boolean {
  return packageOf(file.fileName)?.name === RUNTIME_PACKAGE;
}

/** The name and version of a package, from its package.json. */
export interface PackageInfo {
  name: string;
  version: string;
  directory: string;
}

/** Finds the package that a file belongs to. */
export type FindPackage = (file: string) => PackageInfo | undefined;

/**
 * Creates a finder that reads each package.json once. It skips those without a name, which only set the module type of
 * a folder.
 */
export function createPackageFinder(system: System): FindPackage {
  const known = new Map<string, PackageInfo | undefined>();

  function ofDirectory(directory: string): PackageInfo | undefined {
    if (known.has(directory)) return known.get(directory);
    const parent = dirname(directory);
    const found = readPackage(directory, system) ?? (parent === directory ? undefined : ofDirectory(parent));
    known.set(directory, found);
    return found;
  }

  return (file) => ofDirectory(dirname(file));
}

function readPackage(directory: string, system: System): PackageInfo | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(system.readFile(join(directory, "package.json")) ?? "");
  } catch {
    return undefined;
  }
  if (typeof parsed !== "object" || parsed === null || !("name" in parsed)) return undefined;
  const { name, version } = parsed as { name: unknown; version?: unknown };
  if (typeof name !== "string") return undefined;
  return { name, version: typeof version === "string" ? version : "0.0.0", directory };
}
