import { createRequire } from "node:module";
import { UsageError } from "../../support/usage-error.ts";

/** The optional peers in a bundle, separated by commas; `proffer build --bundle` replaces this name. */
declare const PROFFER_BUNDLED: string | undefined;

/** Checks that an optional peer dependency is installed. @throws {UsageError} */
export function requirePeer(name: string, feature: string): void {
  // There is no package to find beside a bundle.
  const bundled = typeof PROFFER_BUNDLED === "string" ? PROFFER_BUNDLED.split(",") : [];
  if (bundled.includes(name)) return;
  try {
    createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    // Any other error means that the package is installed, but has no entry for `require`.
    if ((cause as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") return;
    throw new UsageError("missing_peer", `${feature} needs the package ${name}: npm install ${name}`, { cause });
  }
}
