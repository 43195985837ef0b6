import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { CommandError } from "../terminal/command-error.ts";
import { fromHere } from "../terminal/shell.ts";

const EXTENSIONS = new Set([".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"]);

/** The file of a built folder that default-exports the server. */
export const BUILT_SERVER = "server.js";
/** The manifest in a built folder, as a module. A folder is a build only if it contains both files. */
export const BUILT_MANIFEST = "manifest.js";
/** The file that `proffer build --bundle` writes. It starts with its mark, after a line for the shell. */
export const BUNDLE = "index.mjs";
export const BUNDLE_MARK = "// Written by proffer build --bundle.";

/**
 * Returns the absolute path of a module that the user named.
 * @throws {CommandError} if the file does not exist or is not a module.
 */
export function findModule(file: string): string {
  const path = fromHere(file);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) {
    throw new CommandError(
      `${file} does not exist (looked for ${path}). The path is relative to the current directory.`,
    );
  }
  if (isBundleFolder(stats.isFile() ? dirname(path) : path) && (!stats.isFile() || basename(path) === BUNDLE)) {
    throw new CommandError(`${file} is a bundle, which serves itself. Run node with its file ${BUNDLE}.`);
  }
  if (!stats.isFile()) {
    throw new CommandError(`${file} is not a file. Name a module, for example ${join(file, "tools.ts")}.`);
  }
  if (EXTENSIONS.has(extname(path)) && !/\.d\.[cm]?ts$/.test(path)) return path;
  throw new CommandError(`${file} is not a module. Name a TypeScript or JavaScript file, such as tools.ts.`);
}

/** Returns the folder that `proffer build` wrote, named by its path or by the `index.js` or `server.js` in it. */
export function findBuiltFolder(file: string): string | undefined {
  const path = fromHere(file);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const folder = stats.isDirectory() ? path : dirname(path);
  if (stats.isFile() && path !== join(folder, BUILT_SERVER) && path !== join(folder, "index.js")) return undefined;
  return existsSync(join(folder, BUILT_SERVER)) && existsSync(join(folder, BUILT_MANIFEST)) ? folder : undefined;
}

/** Whether a folder contains a bundle of `proffer build`. */
export function isBundleFolder(folder: string): boolean {
  const path = join(folder, BUNDLE);
  return existsSync(path) && readStart(path, 200).includes(BUNDLE_MARK);
}

/** Reads the first bytes of a file, as text. */
export function readStart(path: string, bytes: number): string {
  const start = Buffer.alloc(bytes);
  const file = openSync(path, "r");
  try {
    return start.toString("utf8", 0, readSync(file, start));
  } finally {
    closeSync(file);
  }
}

/** Returns the root of the project: the folder of the nearest package.json, or else the module's own folder. */
export function findProject(module: string): string {
  for (let folder = dirname(module); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (dirname(folder) === folder) return dirname(module);
  }
}
