import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Server } from "proffer";
import { createDerivedServer, type Module } from "proffer/derived";
import { createDeriver, type Derivation, type Emission } from "../derive/index.ts";
import { type CacheLocation, claimCache, locateCache } from "../modules/cache.ts";
import { atSource, writeEmission } from "../modules/emission.ts";
import { explainLoad } from "../modules/import-module.ts";
import { ownServer } from "../modules/load.ts";
import { findModule } from "../modules/module-file.ts";
import { warnOfForeignCache } from "../modules/prepare-module.ts";
import { toManifest } from "../modules/to-manifest.ts";
import { currentTrust, type Trust, UntrustedError } from "../modules/trust.ts";
import { CommandError } from "../terminal/command-error.ts";
import { checkModule } from "../terminal/diagnostic-report.ts";
import { say } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";
import { type ExternalModules, openExternalModules } from "./external-modules.ts";
import { createModuleCompiler } from "./module-compiler.ts";
import { createModuleGraph } from "./module-graph.ts";

/** One version of a module. */
export interface Version {
  readonly server: Server;
  readonly derivation: Derivation;
}

/** The successive versions of a module. */
export interface Versions {
  /** The files that the last derivation read, whether it succeeded or not. */
  readonly files: readonly string[];
  /**
   * Derives and loads the current version of the module, without the functions that have errors.
   * @throws {CommandError} that shows its errors, if nothing of it can be served.
   */
  next(): Promise<Version>;
  /** Deletes the emitted files. */
  clear(): void;
}

/** An earlier version with a call in flight may still import one of its files. */
const KEPT_EMISSIONS = 3;

/** Opens a module to follow its edits. */
export function openVersions(file: string, trust = currentTrust()): Versions {
  const location = locateCache(findModule(file));
  const { module } = location;
  const root = createRoot(location, trust);
  const deriver = createDeriver(module);
  const compiler = createModuleCompiler(join(root, "run"));
  let externals: Promise<ExternalModules> | undefined;
  let number = 0;
  let files: readonly string[] = [module];

  async function load(): Promise<Module> {
    number += 1;
    const target = join(root, String(number));
    const emission = deriver.emit(target);
    if (emission.files.some(({ path }) => path.endsWith(".cjs"))) return importEmission(root, number, emission);
    externals ??= openExternalModules(root);
    const urlOf = (path: string) => pathToFileURL(join(root, path)).href;
    const graph = createModuleGraph(compiler.compile(emission.files, urlOf), await externals);
    return graph(urlOf(emission.entry));
  }

  return {
    get files() {
      return files;
    },
    async next() {
      const derivation = deriver.derive();
      files = derivation.files;
      checkModule(file, derivation);
      const { form } = derivation;
      const manifest = toManifest(derivation);
      const loaded = await explainLoad(file, load);
      const server =
        form === "functions"
          ? createDerivedServer(manifest, async () => loaded)
          : ownServer(file, form, manifest, loaded);
      return { server, derivation };
    },
    clear: () => rmSync(root, { recursive: true, force: true }),
  };
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
      warnOfForeignCache(location, error, (message) => say(text`warning: ${message}`));
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
