import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Imports what is not of the project: packages, and what is built into Node. */
export interface Natives {
  load(specifier: string): Promise<Record<string, unknown>>;
  /** As `import.meta.resolve`. */
  resolve(specifier: string): string;
}

const FILE = "natives.mjs";
/** Node wants to be told that JSON is JSON. */
const TEXT = `
const json = { with: { type: "json" } };
export const load = (specifier) => (specifier.endsWith(".json") ? import(specifier, json) : import(specifier));
export const resolve = (specifier) => import.meta.resolve(specifier);
`;

/** Imports as modules in a folder do: Node looks for packages from where the importing module is. */
export function openNatives(folder: string): Promise<Natives> {
  mkdirSync(folder, { recursive: true });
  // As where `serve` imports from: what the project's own package.json says of imports does not count.
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(folder, FILE), TEXT);
  return import(pathToFileURL(join(folder, FILE)).href);
}
