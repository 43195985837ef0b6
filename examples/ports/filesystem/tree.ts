import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { minimatch } from "minimatch";
import type { Folders } from "./folders.ts";

export interface TreeEntry {
  name: string;
  type: "directory" | "file";
  children?: TreeEntry[];
}

/** Returns the entries of a folder and of all folders in it, without those that a pattern excludes. */
export async function readTree(
  folders: Folders,
  root: string,
  isExcluded: (path: string) => boolean,
): Promise<TreeEntry[]> {
  const readFolder = async (folder: string): Promise<TreeEntry[]> => {
    const result: TreeEntry[] = [];
    for (const entry of await readdir(await folders.find(folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (isExcluded(relative(root, path))) continue;
      result.push(
        entry.isDirectory()
          ? { name: entry.name, type: "directory", children: await readFolder(path) }
          : { name: entry.name, type: "file" },
      );
    }
    return result;
  };
  return readFolder(root);
}

/** Returns the paths in a folder that match a pattern. Entries that may not be used are skipped. */
export async function findPaths(
  folders: Folders,
  root: string,
  pattern: string,
  isExcluded: (path: string) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  const searchEntry = async (folder: string, entry: Dirent): Promise<void> => {
    const path = join(folder, entry.name);
    await folders.find(path);
    const name = relative(root, path);
    if (isExcluded(name)) return;
    if (matches(name, pattern)) found.push(path);
    if (entry.isDirectory()) await searchFolder(path);
  };
  const searchFolder = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      await searchEntry(folder, entry).catch(() => undefined);
    }
  };
  await searchFolder(root);
  return found;
}

/** Whether a path matches one of the patterns. */
export function matchesAny(patterns: readonly string[]): (path: string) => boolean {
  return (path) => patterns.some((pattern) => matches(path, pattern));
}

/** The same for a tree, where a pattern without a star also excludes that name anywhere. */
export function matchesAnyName(patterns: readonly string[]): (path: string) => boolean {
  const all = patterns.flatMap((name) => (name.includes("*") ? [name] : [name, `**/${name}`, `**/${name}/**`]));
  return matchesAny(all);
}

function matches(path: string, pattern: string): boolean {
  return minimatch(path, pattern, { dot: true });
}
