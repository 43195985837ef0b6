import type { Dirent, Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pathProblem } from "../../resources/params/path.ts";
import type { FilesRoot } from "./root.ts";

/** What a provider of files shows. */
export interface Shown {
  readonly root: FilesRoot;
  /** What all its URIs begin with. */
  readonly uri: string;
  /** Whether a file, by its path below the root, is shown. */
  showsFile(path: string): boolean;
  /** Whether a directory is gone into. */
  showsDirectory(path: string): boolean;
}

/** A file or a directory that is shown. */
export interface Found {
  /** Below the root, with "/" between segments. */
  readonly path: string;
  readonly uri: string;
  readonly isDirectory: boolean;
}

/** The URI of a path: every segment encoded, so that it is decoded to what it was. */
export function toUri(shown: Shown, path: string): string {
  return shown.uri + path.split("/").map(encodeSegment).join("/");
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** All files below a directory, in ascending order of their URIs, from behind one of them. */
export async function* walk(shown: Shown, directory: string, after: string | undefined): AsyncGenerator<Found> {
  for (const found of await readDirectory(shown, directory)) {
    if (!found.isDirectory) {
      if (after === undefined || found.uri > after) yield found;
      continue;
    }
    // What is below begins with the URI and a slash: all of it comes before, or behind, or some of each.
    const start = `${found.uri}/`;
    if (after !== undefined && start < after && !after.startsWith(start)) continue;
    yield* walk(shown, found.path, after);
  }
}

/** What a directory holds of what is shown, sorted so that a walk goes through ascending URIs. */
export async function readDirectory(shown: Shown, directory: string): Promise<Found[]> {
  const all: { key: string; found: Found }[] = [];
  for (const entry of await readNames(shown, directory)) {
    const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
    // A name that no read would accept is not offered either.
    if (pathProblem(path) !== undefined) continue;
    const isDirectory = entry.isDirectory();
    const isShown = isDirectory ? shown.showsDirectory(path) : await isShownFile(shown, path, entry);
    if (!isShown) continue;
    const uri = toUri(shown, path);
    all.push({ key: isDirectory ? `${uri}/` : uri, found: { path, uri, isDirectory } });
  }
  all.sort((a, b) => (a.key < b.key ? -1 : 1));
  return all.map(({ found }) => found);
}

/** The names in a directory; none if it went, or became a link, while we walked. */
async function readNames(shown: Shown, directory: string): Promise<Dirent[]> {
  const opened = await shown.root.open(directory);
  if (opened === undefined) return [];
  try {
    if (opened.path !== directory || !opened.file.stat().isDirectory()) return [];
    return await readdir(await shown.root.pathOf(opened), { withFileTypes: true });
  } finally {
    opened.file.close();
  }
}

/** A link is shown if it leads to a file that is shown; directories behind links are not gone into, as they may loop. */
async function isShownFile(shown: Shown, path: string, entry: Dirent): Promise<boolean> {
  if (!shown.showsFile(path)) return false;
  if (entry.isFile()) return true;
  if (!entry.isSymbolicLink()) return false;
  const real = await shown.root.resolve(path);
  if (real === undefined || !shown.showsFile(real)) return false;
  return (await statOf(shown, path))?.isFile() ?? false;
}

/** What is known of a file without opening it; undefined if it went. */
export async function statOf(shown: Shown, path: string): Promise<Stats | undefined> {
  try {
    return await stat(join(await shown.root.real(), path));
  } catch {
    return undefined;
  }
}
