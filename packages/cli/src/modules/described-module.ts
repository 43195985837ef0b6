import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Manifest } from "proffer/derived";
import { BUILT_MANIFEST, findBuiltFolder } from "./module-file.ts";
import { prepareModule } from "./prepare-module.ts";

/** A module or a built folder, as far as it is known without importing the author's code. */
export interface DescribedModule {
  readonly name: string;
  readonly settings: Manifest["settings"];
}

/**
 * Describes a module or a built folder.
 * @throws {CommandError} for a module that cannot be served: a client would not show the reason.
 */
export async function describeModule(file: string): Promise<DescribedModule> {
  const built = findBuiltFolder(file);
  if (built === undefined) {
    const { server, settings } = (await prepareModule(file)).manifest;
    return { name: server.name, settings };
  }
  const { name } = JSON.parse(readFileSync(join(built, "package.json"), "utf8"));
  const { default: manifest } = await import(pathToFileURL(join(built, BUILT_MANIFEST)).href);
  return { name, settings: manifest.settings };
}
