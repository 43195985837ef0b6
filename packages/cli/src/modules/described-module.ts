import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Manifest } from "proffer/derived";
import { importModule } from "./import-module.ts";
import { BUILT_MANIFEST, findBuiltFolder } from "./module-file.ts";
import { type PreparedModule, prepareModule } from "./prepare-module.ts";

/** A module or a built folder, as far as it is known without importing the author's code. */
export interface DescribedModule extends Manifest {
  readonly form: PreparedModule["form"];
}

/**
 * Describes a module or a built folder.
 * @throws {CommandError} for a module that cannot be served: a client would not show the reason.
 */
export async function describeModule(file: string): Promise<DescribedModule> {
  const built = findBuiltFolder(file);
  if (built !== undefined) return readBuiltManifest(file, built);
  const { manifest, form } = await prepareModule(file);
  return { ...manifest, form };
}

/** Reads the manifest of a built folder. @throws {CommandError} if it is damaged. */
export async function readBuiltManifest(file: string, folder: string): Promise<DescribedModule> {
  const module = await importModule(file, pathToFileURL(join(folder, BUILT_MANIFEST)).href);
  return module.default as DescribedModule;
}
