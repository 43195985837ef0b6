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

/** A module of the author's, described and ready to be imported. */
export interface PreparedModule {
  /** As it was named. */
  readonly file: string;
  /** `server`: its default export is a server of its own, and the manifest is empty. */
  readonly form: Derivation["form"];
  readonly manifest: Manifest;
  readonly diagnostics: readonly Diagnostic[];
  /** Where its JavaScript is; absent if it could not be written anywhere. */
  readonly url?: string;
  /** Imports its JavaScript. @throws {CommandError} that shows what went wrong. */
  load(): Promise<Module>;
}

export interface PrepareOptions {
  /** Hears of what is wrong but does not stop anything. */
  readonly warn?: (message: string) => void;
}

/**
 * Describes a module, from what was kept of it or else by deriving it, which takes a second or two.
 * @throws {CommandError} for a module that cannot be served.
 */
export async function prepareModule(file: string, { warn = () => {} }: PrepareOptions = {}): Promise<PreparedModule> {
  const location = locateCache(findModule(file));
  try {
    const cached = readCache(location);
    if (cached !== undefined) return fromCache(file, cached);
  } catch (error) {
    warn(`What was kept of ${file} is of no use (${messageOf(error)}); deriving it again.`);
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
    warn(`What was derived of ${file} cannot be kept (${messageOf(error)}); the next start will derive it again.`);
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
