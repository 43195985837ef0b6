import { builtinModule } from "../support/run-time.ts";
import { UsageError } from "../support/usage-error.ts";

/** The optional peer that verifies signatures. */
export type Jose = typeof import("jose");

/** A set of keys, which selects the key of a token. */
export type Keys = ReturnType<Jose["createLocalJWKSet"]>;

/** The optional peers in a bundle, separated by commas; `proffer build --bundle` replaces this name. */
declare const PROFFER_BUNDLED: string | undefined;

interface NodeModule {
  createRequire(url: string): { resolve(name: string): string };
}

/** Loads the package with the first token, so that it does not delay the start. */
export function loadJose(): Promise<Jose> {
  return import("jose");
}

/**
 * Checks that the package is installed, where Node can find that out at once. @throws {UsageError}
 */
export function requireJose(): void {
  if (typeof PROFFER_BUNDLED === "string" && PROFFER_BUNDLED.split(",").includes("jose")) return;
  const modules = builtinModule("node:module") as NodeModule | undefined;
  // Without its own package.json, this file is part of a bundle, and jose probably is too.
  if (modules === undefined || !isInstalled(modules, "proffer/package.json") || isInstalled(modules, "jose")) return;
  throw new UsageError("missing_peer", "oauth() needs the package jose: npm install jose");
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
