import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findProject } from "./module-file.ts";

/** Returns the version of this package, which equals that of `proffer`. */
export function ownVersion(): string {
  return readVersion(findProject(fileURLToPath(import.meta.url)));
}

/** Returns the folder and version of the TypeScript compiler without loading it. */
export function findCompiler(): { readonly directory: string; readonly version: string } {
  const directory = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
  return { directory, version: readVersion(directory) };
}

function readVersion(directory: string): string {
  return JSON.parse(readFileSync(join(directory, "package.json"), "utf8")).version;
}
