import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the packages. */
export const packages = fileURLToPath(new URL("../../", import.meta.url));

type PackageFolder = "proffer" | "inspector" | "cli";

/** The path of a built file, for tests of the published package. */
export function distFile(name: string, folder: PackageFolder = "proffer"): string {
  const path = join(packages, folder, "dist", name);
  if (!existsSync(path)) throw new Error(`packages/${folder}/dist/${name} is missing: run \`npm run build\` first.`);
  return path;
}

interface Manifest {
  readonly version: string;
  readonly scripts?: Record<string, string>;
  readonly bin?: Record<string, string>;
  readonly exports: Record<string, string | { readonly types?: string; readonly default: string }>;
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly publishConfig?: Record<string, unknown>;
}

/** Reads the package.json of a package. */
export function readManifest(folder: PackageFolder): Manifest {
  return JSON.parse(readFileSync(join(packages, folder, "package.json"), "utf8"));
}
