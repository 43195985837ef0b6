import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Module } from "proffer/derived";
import type { Derivation, Emission } from "../derive/index.ts";
import { checkDerivation } from "../terminal/diagnostic-report.ts";
import {
  type CachedModule,
  type CacheLocation,
  cacheRoot,
  locateCache,
  newEmissionFolder,
  readCache,
  writeCache,
} from "./cache.ts";
import { deriveModule, toManifest } from "./derive-module.ts";
import { atSource, importEmission, inlineMap, textsAt } from "./emission.ts";
import { checkModuleSettings, importModule } from "./import-module.ts";
import { InputRecorder } from "./inputs.ts";
import { findModule } from "./module-file.ts";
import { currentTrust, type Trust, UntrustedError } from "./trust.ts";

/** A module with its manifest, ready to be imported. */
export interface PreparedModule extends Pick<CachedModule, "form" | "manifest" | "diagnostics" | "files"> {
  /** The path as the user wrote it. */
  readonly file: string;
  /** The URL of the emitted JavaScript; absent if it is not on disk, or if others could replace it there. */
  readonly url?: string;
  /**
   * Checks the settings and imports the emitted JavaScript. @throws {CommandError} with the stack trace if the module
   * throws. @throws {UsageError} for missing or invalid settings.
   */
  load(): Promise<Module>;
}

export interface PrepareOptions {
  /** Receives warnings about the cache. */
  readonly warn?: (message: string) => void;
  /** Whose cache may be used. Defaults to this process's user. */
  readonly trust?: Trust;
}

/**
 * Prepares a module from its cache, or else derives it, which loads the compiler and takes a second or two.
 * @throws {CommandError} for a module that cannot be served.
 */
export async function prepareModule(file: string, options: PrepareOptions = {}): Promise<PreparedModule> {
  const { warn = () => {}, trust = currentTrust() } = options;
  const cached = prepareCached(file, { warn, trust });
  if (cached !== undefined) return cached;
  const location = locateCache(findModule(file));
  const root = newEmissionFolder(location);
  const recorder = new InputRecorder();
  const { derivation, deriver } = await deriveModule(file, recorder);
  checkDerivation(file, derivation);
  const emission = deriver.emit(root);
  try {
    return fromCache(file, writeCache(location, derivation, emission, root, recorder, trust), trust);
  } catch (error) {
    if (error instanceof UntrustedError) warnOfForeignCache(location, error, warn);
    else warn(`The cache of ${file} cannot be written, so the next start will be slow again: ${messageOf(error)}`);
    return fromMemory(file, derivation, emission, root);
  }
}

/** Prepares a module from its cache, without the compiler; undefined if it has no valid cache. */
export function prepareCached(file: string, { warn, trust }: Required<PrepareOptions>): PreparedModule | undefined {
  const location = locateCache(findModule(file));
  try {
    const cached = readCache(location, trust);
    return cached && fromCache(file, cached, trust);
  } catch (error) {
    if (error instanceof UntrustedError) warnOfForeignCache(location, error, warn);
    else warn(`The cache of ${file} is unusable and will be rebuilt: ${messageOf(error)}`);
    return undefined;
  }
}

function fromCache(file: string, cached: CachedModule, { owners }: Trust): PreparedModule {
  const { form, manifest, diagnostics, files, entry, texts } = cached;
  const url = pathToFileURL(entry).href;
  const load = async () => {
    await checkModuleSettings(manifest);
    return texts === undefined ? importModule(file, url) : importEmission(file, url, texts);
  };
  // Where nothing is known about owners, the check of the content must be enough.
  const isImportable = texts === undefined || owners === undefined;
  return { file, form, manifest, diagnostics, files, ...(isImportable && { url }), load };
}

function fromMemory(file: string, derivation: Derivation, emission: Emission, root: string): PreparedModule {
  const { form, diagnostics, files } = derivation;
  const load = async () => {
    await checkModuleSettings(derivation);
    const emitted = atSource(emission).files.map((each) => ({ ...each, text: inlineMap(each) }));
    return importEmission(file, pathToFileURL(join(root, emission.entry)).href, textsAt(root, emitted));
  };
  return { file, form, manifest: toManifest(derivation), diagnostics, files, load };
}

const warned = new Set<string>();

/** Warns once per project: several modules of one project share the folder. */
export function warnOfForeignCache(
  location: CacheLocation,
  error: UntrustedError,
  warn: (message: string) => void,
): void {
  const root = cacheRoot(location);
  if (warned.has(root)) return;
  warned.add(root);
  warn(
    `The cache in ${root} is not used, because ${error.message}. ` +
      `Proffer runs code from a cache only if nobody else can write it. ${error.remedy}`,
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
