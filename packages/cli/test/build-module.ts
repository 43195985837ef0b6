import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fillFolder, MODULES } from "../src/build/built-folder.ts";
import { createDeriver, importedPackages } from "../src/derive/index.ts";

/** Builds a module without a process. */
export function buildModule(module: string, out: string): void {
  const deriver = createDeriver(module);
  const derivation = deriver.derive();
  const emission = deriver.emit(join(out, MODULES));
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  fillFolder({ module, derivation, emission, imports: importedPackages(emission), assets: [] }, out);
}
