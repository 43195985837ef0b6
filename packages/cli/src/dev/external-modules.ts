import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Imports modules outside the project: packages and Node's built-in modules. */
export interface ExternalModules {
  load(specifier: string): Promise<Record<string, unknown>>;
  /** The same as `import.meta.resolve`. */
  resolve(specifier: string): string;
}

const FILE = "external.mjs";
/** Node requires an import attribute for JSON. */
const TEXT = `
const json = { with: { type: "json" } };
export const load = (specifier) => (specifier.endsWith(".json") ? import(specifier, json) : import(specifier));
export const resolve = (specifier) => import.meta.resolve(specifier);
`;

/** Imports modules from a folder: Node looks for packages relative to the importing module. */
export function openExternalModules(folder: string): Promise<ExternalModules> {
  mkdirSync(folder, { recursive: true });
  // As in the folder that `serve` imports from: the `imports` of the project's package.json do not apply.
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(folder, FILE), TEXT);
  return import(pathToFileURL(join(folder, FILE)).href);
}
