import { dirname, join } from "node:path";
import type { System } from "./system.ts";

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
