import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Server } from "proffer";
import { createDerivedServer } from "proffer/derived";
import { createDeriver, type Derivation } from "../derive/index.ts";
import { checkDerivation } from "../diagnostic-report.ts";
import { importModule } from "../import-module.ts";
import { serverOf } from "../load.ts";
import { locateCache } from "../manifest/cache.ts";
import { atSource, writeEmission } from "../manifest/emission.ts";
import { toManifest } from "../manifest/to-manifest.ts";
import { findModule } from "../module-file.ts";

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

/**
 * Opens a module for following its edits. Every version is emitted into a folder of its own, because Node imports a
 * file only once; Node never forgets what it imported either, which costs some kilobytes an edit.
 */
export function openVersions(file: string): Versions {
  const { folder, module } = locateCache(findModule(file));
  const root = join(folder, `dev-${process.pid}`);
  const deriver = createDeriver(module);
  let number = 0;
  let files: readonly string[] = [module];

  return {
    get files() {
      return files;
    },
    async next() {
      const derivation = deriver.derive();
      files = derivation.files;
      checkDerivation(file, derivation);
      number += 1;
      const target = join(root, String(number));
      const emission = atSource(deriver.emit(target));
      writeEmission(target, emission);
      writeFileSync(join(root, "package.json"), '{ "type": "module" }\n');
      rmSync(join(root, String(number - KEPT_EMISSIONS)), { recursive: true, force: true });
      const imported = await importModule(file, pathToFileURL(join(target, emission.entry)).href);
      const server =
        derivation.form === "server"
          ? serverOf(file, imported)
          : createDerivedServer(toManifest(derivation), async () => imported, ALL_LISTS);
      return { server, derivation };
    },
    clear: () => rmSync(root, { recursive: true, force: true }),
  };
}
