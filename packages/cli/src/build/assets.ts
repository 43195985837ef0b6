import { copyFileSync, existsSync, mkdirSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Emission } from "../derive/index.ts";
import { findProject } from "../modules/module-file.ts";
import { CommandError } from "../terminal/command-error.ts";
import { fromHere } from "../terminal/shell.ts";

/**
 * Returns the files that the user named with `--asset`, with the files of named folders, as absolute paths.
 * @throws {CommandError} for a path that does not exist, or leads out of the project.
 */
export function findAssets(names: readonly string[], module: string, out: string): string[] {
  const project = findProject(module);
  const target = fromHere(out);
  const found = new Set<string>();
  for (const name of names) {
    const path = fromHere(name);
    if (path === project) {
      throw new CommandError(
        `The asset ${name} is the whole project. Name the files and folders that the module reads.`,
      );
    }
    if (!isInside(project, path)) {
      throw new CommandError(`The asset ${name} is outside of the project ${project}. Copy it into the project.`);
    }
    if (!existsSync(path)) {
      throw new CommandError(
        `The asset ${name} does not exist (looked for ${path}). The path is relative to the current directory.`,
      );
    }
    if (isInside(path, target) || isInside(target, path)) {
      throw new CommandError(`The asset ${name} overlaps with the folder ${out}, which the build replaces.`);
    }
    // The compiler reports the real paths of sources.
    const real = realpathSync(project);
    walk(join(real, relative(project, path)), real, name, [], found);
  }
  return [...found];
}

/** @param above - the real paths of the folders around `path`, to detect a link that leads back to one of them */
function walk(path: string, project: string, name: string, above: readonly string[], found: Set<string>): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new CommandError(`The asset ${name} contains a broken link: ${path}.`);
  const real = realpathSync(path);
  if (!isInside(project, real)) {
    throw new CommandError(`The asset ${name} leads out of the project: ${path} is a link to ${real}.`);
  }
  if (stats.isFile()) {
    found.add(path);
    return;
  }
  if (!stats.isDirectory()) throw new CommandError(`The asset ${name} is not a file or folder: ${path}.`);
  if (above.includes(real)) throw new CommandError(`The asset ${name} contains itself: ${path} is a link to ${real}.`);
  for (const entry of readdirSync(path)) walk(join(path, entry), project, name, [...above, real], found);
}

/**
 * Copies assets into the folder that mirrors the sources, and returns their number.
 * @param written - the files of the build in this folder
 * @throws {CommandError} if an asset would replace one of them.
 */
export function copyAssets(
  assets: readonly string[],
  root: string,
  folder: string,
  written: ReadonlyMap<string, string | undefined>,
): number {
  const copied = assets.filter((asset) => {
    const path = toPath(root, asset);
    // An imported JSON file is already there.
    if (written.get(path) === asset && path.endsWith(".json")) return false;
    if (!written.has(path)) return true;
    throw new CommandError(`The asset ${asset} would replace ${path} of the build. Rename it.`);
  });
  for (const asset of copied) {
    const target = join(folder, toPath(root, asset));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(asset, target);
  }
  return copied.length;
}

/** Returns the files that the code reads by `new URL("./x", import.meta.url)`, exist, and are not among the assets. */
export function findForgotten({ files }: Emission, assets: readonly string[]): string[] {
  const named = new Set(assets);
  const forgotten = new Set<string>();
  for (const { source, text } of files) {
    for (const [, path = ""] of text.matchAll(/new URL\(\s*["'](\.\.?\/[^"'?#]+)["'],\s*import\.meta\.url\s*\)/g)) {
      const file = resolve(dirname(source), path);
      const stats = statSync(file, { throwIfNoEntry: false });
      const isNamed = stats?.isDirectory() ? assets.some((asset) => isInside(file, asset)) : named.has(file);
      if (stats !== undefined && !isNamed && !files.some((other) => other.source === file)) forgotten.add(file);
    }
  }
  return [...forgotten];
}

function toPath(root: string, file: string): string {
  return relative(root, file).replaceAll(sep, "/");
}

function isInside(folder: string, path: string): boolean {
  const local = relative(folder, path);
  return local !== ".." && !local.startsWith(`..${sep}`) && !isAbsolute(local);
}
