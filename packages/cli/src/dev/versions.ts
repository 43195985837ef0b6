import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { Server } from "proffer";
import { createDerivedServer } from "proffer/built";
import type { Module } from "proffer/derived";
import type { Derivation, Emission } from "../derive/index.ts";
import { type CacheLocation, claimCache, isCurrent, locateCache } from "../modules/cache.ts";
import { toManifest } from "../modules/derive-module.ts";
import { atSource, writeEmission } from "../modules/emission.ts";
import { checkModuleSettings, explainLoad } from "../modules/import-module.ts";
import { type Stamp, stampOf } from "../modules/inputs.ts";
import { openPrepared, ownServer } from "../modules/load.ts";
import { findModule } from "../modules/module-file.ts";
import { prepareCached, warnOfForeignCache } from "../modules/prepare-module.ts";
import { currentTrust, type Trust, UntrustedError } from "../modules/trust.ts";
import { CommandError } from "../terminal/command-error.ts";
import { checkModule } from "../terminal/diagnostic-report.ts";
import { warn } from "../terminal/terminal.ts";
import type { Compiler } from "./compiler-thread.ts";
import { createModuleCompiler, createModuleGraph, type ExternalModules, openExternalModules } from "./module-graph.ts";

/** One version of a module. */
export interface Version {
  readonly server: Server;
  readonly derivation: Pick<Derivation, "diagnostics">;
  /** Imports the module; absent if it is already imported. */
  readonly load?: (() => Promise<unknown>) | undefined;
}

/** The successive versions of a module. */
export type Versions = ReturnType<typeof openVersions>;

/** An earlier version with a call in flight may still import one of its files. */
const KEPT_EMISSIONS = 3;

/** Opens a module to follow its edits. */
export function openVersions(file: string, compiler: Compiler, trust = currentTrust()) {
  const location = locateCache(findModule(file));
  const { module } = location;
  const root = createRoot(location, trust);
  const compile = createModuleCompiler(join(root, "run"));
  let externals: Promise<ExternalModules> | undefined;
  let number = 0;
  let files: readonly string[] = [module];
  /** The stamps of known files, taken before the derivation read them. */
  let stamps = new Map<string, Stamp | undefined>();

  async function derive(): Promise<Derivation> {
    stamps = new Map(files.map((path) => [path, stampNow(path)]));
    const derivation = await compiler.derive();
    ({ files } = derivation);
    return derivation;
  }

  async function load(): Promise<Module> {
    number += 1;
    const target = join(root, String(number));
    const emission = await compiler.emit(target);
    if (emission.files.some(({ path }) => path.endsWith(".cjs"))) return importEmission(root, number, emission);
    externals ??= openExternalModules(root);
    const urlOf = (path: string) => pathToFileURL(join(root, path)).href;
    const graph = createModuleGraph(compile(emission.files, urlOf), await externals);
    return graph(urlOf(emission.entry));
  }

  return {
    /** The files that the last derivation read, whether it succeeded or not. */
    get files(): readonly string[] {
      return files;
    },
    /**
     * Returns the version in the cache of the module; undefined if the cache is not valid. The compiler is not used.
     * @throws {CommandError} if the module must be imported and throws.
     */
    async cached(): Promise<Version | undefined> {
      const prepared = prepareCached(file, { warn, trust });
      if (prepared === undefined) return undefined;
      files = prepared.files;
      await checkModuleSettings(prepared.manifest);
      const { server, load } = await openPrepared(prepared);
      return { server, load, derivation: prepared };
    },
    /** Whether the last derivation has read these files as they are now, so that they contain no new edit. */
    hasRead(paths: Iterable<string>): boolean {
      return [...paths].every((path) => stamps.has(path) && isDeepStrictEqual(stamps.get(path), stampNow(path)));
    },
    /** Loads the compiler for the version in the cache. Returns whether that version is still current. */
    async confirm(): Promise<boolean> {
      await derive();
      try {
        return isCurrent(location, trust);
      } catch {
        return false;
      }
    },
    /**
     * Derives and loads the current version of the module, without the functions that have errors.
     * @throws {CommandError} that shows its errors, if nothing of it can be served.
     */
    async next(): Promise<Version> {
      const derivation = await derive();
      checkModule(file, derivation);
      const { form } = derivation;
      const manifest = toManifest(derivation);
      await checkModuleSettings(manifest);
      const loaded = await explainLoad(file, load);
      const server =
        form === "functions"
          ? createDerivedServer(manifest, async () => loaded)
          : await ownServer(file, form, manifest, loaded);
      void compiler.save(derivation).catch(() => {});
      return { server, derivation };
    },
    positions: () => compiler.positions(),
    sources: () => compiler.sources(),
    /** Deletes the emitted files. */
    clear: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Returns the stamp of a file, also if it has just changed; undefined if it does not exist. */
function stampNow(path: string): Stamp | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && stampOf(stats, Number.POSITIVE_INFINITY);
}

/**
 * Creates the folder that this process runs its code from: in the project, because Node looks for packages from there.
 * @throws {CommandError} if the project is not writable.
 */
function createRoot(location: CacheLocation, trust: Trust): string {
  try {
    claimCache(location, trust);
    const root = join(location.folder, `dev-${process.pid}`);
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root, { mode: 0o700 });
    return root;
  } catch (error) {
    if (error instanceof UntrustedError) {
      warnOfForeignCache(location, error, warn);
    }
  }
  try {
    return mkdtempSync(join(location.project, ".proffer-dev-"));
  } catch (cause) {
    throw new CommandError(`dev must be able to write in ${location.project}: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Imports emitted files from a new folder, because Node imports a file only once. This leaks memory, but it is needed for
 * CommonJS files, which may `require` or `import` modules of the project.
 */
async function importEmission(root: string, number: number, emission: Emission): Promise<Module> {
  const target = join(root, String(number));
  writeEmission(target, atSource(emission));
  writeFileSync(join(root, "package.json"), '{ "type": "module" }\n');
  rmSync(join(root, String(number - KEPT_EMISSIONS)), { recursive: true, force: true });
  return import(pathToFileURL(join(target, emission.entry)).href);
}
