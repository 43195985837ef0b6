import { existsSync, statSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { CommandError } from "../terminal/command-error.ts";

const EXTENSIONS = new Set([".ts", ".mts", ".js", ".mjs"]);

/** The file that makes a folder one that `proffer build` wrote; its default export is a server. */
export const BUILT_SERVER = "server.js";
/** What a built folder holds besides; without it a folder is no built one. */
export const BUILT_MANIFEST = "manifest.json";

/**
 * The absolute path of a module that a person named.
 * @throws {CommandError} if it is not there, or not a module.
 */
export function findModule(file: string): string {
  const path = resolve(file);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) {
    throw new CommandError(
      `${file} does not exist (looked for ${path}). The path is relative to the current directory.`,
    );
  }
  if (!stats.isFile()) {
    throw new CommandError(`${file} is not a file. Name the module in it, for example ${join(file, "tools.ts")}`);
  }
  if (EXTENSIONS.has(extname(path)) && !/\.d\.m?ts$/.test(path)) return path;
  throw new CommandError(`${file} is not a module. Name a .ts, .mts, .js or .mjs file.`);
}

/** Whether a folder, or the `index.js` or `server.js` in one, is what `proffer build` wrote; gives the folder. */
export function findBuiltFolder(file: string): string | undefined {
  const path = resolve(file);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const folder = stats.isDirectory() ? path : dirname(path);
  if (stats.isFile() && path !== join(folder, BUILT_SERVER) && path !== join(folder, "index.js")) return undefined;
  return existsSync(join(folder, BUILT_SERVER)) && existsSync(join(folder, BUILT_MANIFEST)) ? folder : undefined;
}

/** The folder of the nearest package.json, or the module's own: what belongs to the project lies below it. */
export function findProject(module: string): string {
  for (let folder = dirname(module); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (dirname(folder) === folder) return dirname(module);
  }
}
