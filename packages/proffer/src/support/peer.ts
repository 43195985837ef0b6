import { builtinModule } from "./run-time.ts";
import { UsageError } from "./usage-error.ts";

/** The optional peers in a bundle, separated by commas; `proffer build --bundle` replaces this name. */
declare const PROFFER_BUNDLED: string | undefined;

interface NodeModule {
  createRequire(url: string): { resolve(name: string): string };
}

/**
 * Checks that an optional peer dependency is installed, where Node can find that out at once: an author should not learn
 * it from the first request. @throws {UsageError}
 */
export function requirePeer(name: string, feature: string): void {
  if (typeof PROFFER_BUNDLED === "string" && PROFFER_BUNDLED.split(",").includes(name)) return;
  const modules = builtinModule("node:module") as NodeModule | undefined;
  // Without its own package.json, this file is part of a bundle, and the peer probably is too.
  if (modules === undefined || !isInstalled(modules, "proffer/package.json") || isInstalled(modules, name)) return;
  throw new UsageError(`${feature} needs the package ${name}: npm install ${name}`, "missing_peer");
}

function isInstalled({ createRequire }: NodeModule, name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch (error) {
    // Any other error means that the package is installed, but has no entry for `require`.
    return (error as { code?: unknown }).code !== "MODULE_NOT_FOUND";
  }
}
