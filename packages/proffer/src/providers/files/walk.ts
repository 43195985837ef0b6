import type { Dirent, Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { pathProblem } from "../../resources/params/path.ts";
import type { Directories } from "./directories.ts";
import type { FilesRoot } from "./root.ts";

/** The files that `files` or `confine` makes visible. */
export interface VisibleFiles {
  readonly root: FilesRoot;
  /** The prefix of all URIs. */
  readonly uri: string;
  /** Whether a file is visible, by its path relative to the root. */
  showsFile(path: string): boolean;
  /** Whether a directory is visible and is descended into. */
  showsDirectory(path: string): boolean;
}

/** A visible file or directory. */
export interface FileEntry {
  /** Relative to the root, with "/" as separator. */
  readonly path: string;
  readonly uri: string;
  readonly isDirectory: boolean;
  /** A link was not followed yet: `isVisible` tells whether it leads to a visible file. */
  readonly isLink: boolean;
}

/** Returns the URI of a path, with each segment percent-encoded. */
export function toUri(visible: VisibleFiles, path: string): string {
  return visible.uri + path.split("/").map(encodeSegment).join("/");
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/**
 * Yields all files below a directory in ascending order of their URIs, starting after `after`: of each directory at most
 * those that `directories` returns.
 */
export async function* walk(
  visible: VisibleFiles,
  directories: Directories,
  directory: string,
  after: string | undefined,
): AsyncGenerator<FileEntry> {
  for (const found of (await directories.read(directory)).entries) {
    if (!found.isDirectory) {
      if ((after === undefined || found.uri > after) && (await isVisible(visible, found))) yield found;
      continue;
    }
    // All URIs below a directory start with `start`: skip the directory if all of them precede `after`.
    const start = `${found.uri}/`;
    if (after !== undefined && start < after && !after.startsWith(start)) continue;
    yield* walk(visible, directories, found.path, after);
  }
}

/** Returns the visible entries of a directory, and links that may be visible, sorted so that a walk yields ascending URIs. */
export function toEntries(visible: VisibleFiles, directory: string, names: readonly Dirent[]): FileEntry[] {
  const all: { key: string; found: FileEntry }[] = [];
  for (const entry of names) {
    const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
    // Do not list a name that a read would reject.
    if (pathProblem(path) !== undefined) continue;
    const isDirectory = entry.isDirectory();
    const isLink = entry.isSymbolicLink();
    if (!isDirectory && !isLink && !entry.isFile()) continue;
    if (!(isDirectory ? visible.showsDirectory(path) : visible.showsFile(path))) continue;
    const uri = toUri(visible, path);
    all.push({ key: isDirectory ? `${uri}/` : uri, found: { path, uri, isDirectory, isLink } });
  }
  all.sort((a, b) => (a.key < b.key ? -1 : 1));
  return all.map(({ found }) => found);
}

/** A link is visible if it leads to a visible file. Linked directories are not descended into: they may form a loop. */
export async function isVisible(visible: VisibleFiles, { path, isLink }: FileEntry): Promise<boolean> {
  if (!isLink) return true;
  const real = await visible.root.resolve(path);
  if (real === undefined || !visible.showsFile(real)) return false;
  return (await statOf(visible, path))?.isFile() ?? false;
}

/** Returns the metadata of a file without opening it; undefined if it was removed. */
export async function statOf(visible: VisibleFiles, path: string): Promise<Stats | undefined> {
  try {
    return await stat(join(await visible.root.real(), path));
  } catch {
    return undefined;
  }
}
