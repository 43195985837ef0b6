import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Server } from "proffer";
import { createDerivedServer, type Module } from "proffer/derived";
import { createDeriver, type Derivation, type Emission } from "../derive/index.ts";
import { locateCache } from "../modules/cache.ts";
import { atSource, writeEmission } from "../modules/emission.ts";
import { explainLoad } from "../modules/import-module.ts";
import { serverOf } from "../modules/load.ts";
import { findModule } from "../modules/module-file.ts";
import { toManifest } from "../modules/to-manifest.ts";
import { checkDerivation } from "../terminal/diagnostic-report.ts";
import { type Natives, openNatives } from "./external-modules.ts";
import { createModuleGraph } from "./module-graph.ts";
import { openRunnables } from "./runnable.ts";

/** A module as it was at one moment. */
export interface Version {
  readonly server: Server;
  readonly derivation: Derivation;
}

/** A module that is edited. */
export interface Versions {
  /** The files that the last derivation looked at, whether it succeeded or not. */
  readonly files: readonly string[];
  /** Derives and imports the module as it is now. @throws {CommandError} that shows what is wrong with it. */
  next(): Promise<Version>;
  /** Removes what was emitted. */
  clear(): void;
}

/** All three lists are there from the start: clients are told at the beginning what a server may have. */
const ALL_LISTS = { tools: [], prompts: [], resources: [] };
/** A version that still answers a call may import a part of itself only now. */
const KEPT_EMISSIONS = 3;

/** Opens a module for following its edits. */
export function openVersions(file: string): Versions {
  const { folder, module } = locateCache(findModule(file));
  const root = join(folder, `dev-${process.pid}`);
  const deriver = createDeriver(module);
  const runnables = openRunnables(join(root, "run"));
  let natives: Promise<Natives> | undefined;
  let number = 0;
  let files: readonly string[] = [module];

  async function load(): Promise<Module> {
    number += 1;
    const target = join(root, String(number));
    const emission = deriver.emit(target);
    if (emission.files.some(({ path }) => path.endsWith(".cjs"))) return importEmission(root, number, emission);
    natives ??= openNatives(root);
    const urlOf = (path: string) => pathToFileURL(join(root, path)).href;
    const graph = createModuleGraph(runnables.update(emission.files, urlOf), await natives);
    return graph(urlOf(emission.entry));
  }

  return {
    get files() {
      return files;
    },
    async next() {
      const derivation = deriver.derive();
      files = derivation.files;
      checkDerivation(file, derivation);
      const loaded = await explainLoad(file, load);
      const server =
        derivation.form === "server"
          ? serverOf(file, loaded)
          : createDerivedServer(toManifest(derivation), async () => loaded, ALL_LISTS);
      return { server, derivation };
    },
    clear: () => rmSync(root, { recursive: true, force: true }),
  };
}

/**
 * Imports emitted files from a folder of their own, as Node imports a file only once. It never forgets them either, but
 * CommonJS among them needs it: what such a file requires may be a module.
 */
async function importEmission(root: string, number: number, emission: Emission): Promise<Module> {
  const target = join(root, String(number));
  writeEmission(target, atSource(emission));
  writeFileSync(join(root, "package.json"), '{ "type": "module" }\n');
  rmSync(join(root, String(number - KEPT_EMISSIONS)), { recursive: true, force: true });
  return import(pathToFileURL(join(target, emission.entry)).href);
}
