import { createRequire } from "node:module";
import { UsageError } from "../../support/usage-error.ts";

/** Refuses to go on without a package that the author must install. @throws {UsageError} */
export function requirePeer(name: string, what: string): void {
  try {
    createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    // Any other failure means that it is there, but only for `import`.
    if ((cause as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") return;
    throw new UsageError("missing_peer", `${what} needs the package ${name}: npm install ${name}`, { cause });
  }
}
