import { register } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Manifest, Module } from "proffer/derived";
import type { Derivation, Diagnostic, Emission } from "../derive/index.ts";
import { checkDerivation } from "../terminal/diagnostic-report.ts";
import { type CachedModule, locateCache, newEmissionFolder, readCache, writeCache } from "./cache.ts";
import { atSource, inlineMap } from "./emission.ts";
import type { EmissionData } from "./emission-hooks.ts";
import { importModule } from "./import-module.ts";
import { findModule } from "./module-file.ts";
import { toManifest } from "./to-manifest.ts";

/** A module with its manifest, ready to be imported. */
export interface PreparedModule {
  /** The path as the user wrote it. */
  readonly file: string;
  /** `server`: the module default-exports a server, and the manifest is empty. */
  readonly form: Derivation["form"];
  readonly manifest: Manifest;
  readonly diagnostics: readonly Diagnostic[];
  /** The URL of the emitted JavaScript; absent if the project is not writable. */
  readonly url?: string;
  /** Imports the emitted JavaScript. @throws {CommandError} with the stack trace if the module throws. */
  load(): Promise<Module>;
}

export interface PrepareOptions {
  /** Receives warnings about the cache. */
  readonly warn?: (message: string) => void;
}

/**
 * Prepares a module from its cache, or else derives it, which loads the compiler and takes a second or two.
 * @throws {CommandError} for a module that cannot be served.
 */
export async function prepareModule(file: string, { warn = () => {} }: PrepareOptions = {}): Promise<PreparedModule> {
  const location = locateCache(findModule(file));
  try {
    const cached = readCache(location);
    if (cached !== undefined) return fromCache(file, cached);
  } catch (error) {
    warn(`The cache of ${file} is unusable and will be rebuilt: ${messageOf(error)}`);
  }
  const { createDeriver } = await import("../derive/index.ts");
  const deriver = createDeriver(location.module);
  const derivation = deriver.derive();
  checkDerivation(file, derivation);
  const root = newEmissionFolder(location);
  const emission = deriver.emit(root);
  try {
    return fromCache(file, writeCache(location, derivation, emission, root));
  } catch (error) {
    warn(`The cache of ${file} cannot be written, so the next start will be slow again: ${messageOf(error)}`);
    return fromMemory(file, derivation, emission, root);
  }
}

function fromCache(file: string, { form, manifest, diagnostics, entry }: CachedModule): PreparedModule {
  const url = pathToFileURL(entry).href;
  return { file, form, manifest, diagnostics, url, load: () => importModule(file, url) };
}

function fromMemory(file: string, derivation: Derivation, emission: Emission, root: string): PreparedModule {
  const { form, diagnostics } = derivation;
  const urlOf = (path: string) => pathToFileURL(join(root, path)).href;
  return {
    file,
    form,
    manifest: toManifest(derivation),
    diagnostics,
    load() {
      const data: EmissionData = Object.fromEntries(
        atSource(emission).files.map((file) => [urlOf(file.path), inlineMap(file)]),
      );
      register("#emission-hooks", import.meta.url, { data });
      return importModule(file, urlOf(emission.entry));
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
