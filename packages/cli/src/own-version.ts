import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** The version of this package, and of `proffer`. */
export function ownVersion(): string {
  return require("@proffer/cli/package.json").version;
}

/** The version of the compiler, which need not be loaded to know it. */
export function compilerVersion(): string {
  return require("typescript/package.json").version;
}
