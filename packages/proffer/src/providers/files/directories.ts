import type { BigIntStats, Dirent, Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pathProblem } from "../../resources/param-kinds.ts";
import type { FilesRoot } from "./root.ts";

/** The entries of one directory in order, possibly not all. */
export interface DirectoryPart {
  readonly entries: readonly FileEntry[];
  /** The directory has more entries. */
  readonly more: boolean;
}

/** Options for `Directories`. */
interface DirectoriesOptions {
  /** The number of files and directories of one directory; links come on top. Default: no limit. */
  readonly maxEntries?: number;
  /**
   * Milliseconds since the last change after which a directory is cached. File systems store times in steps of up to two
   * seconds, so a second change within a step would not be seen. Default: 2,000.
   */
  readonly settleTime?: number;
  /** Returns the names in a directory. Default: `readdir`. */
  readonly readNames?: (path: string) => Promise<readonly Dirent[]>;
}

interface Cached extends DirectoryPart {
  /** Changes when a name in the directory is added, removed or replaced. */
  readonly stamp: string;
}

const SETTLE_TIME = 2000;
/** Entries of all cached directories together. */
const MAX_CACHED = 50_000;
const NOTHING: DirectoryPart = { entries: [], more: false };

/**
 * Reads directories. An unchanged directory is read once and not again for each page of a list. Links are cached, but not
 * where they lead: that can change while the directory does not.
 */
export class Directories {
  readonly #visible: VisibleFiles;
  readonly #maxEntries: number;
  readonly #settleTime: number;
  readonly #readNames: (path: string) => Promise<readonly Dirent[]>;
  /** The least recently used comes first. */
  readonly #cache = new Map<string, Cached>();
  #cached = 0;

  constructor(visible: VisibleFiles, options: DirectoriesOptions = {}) {
    this.#visible = visible;
    this.#maxEntries = options.maxEntries ?? Number.POSITIVE_INFINITY;
    this.#settleTime = options.settleTime ?? SETTLE_TIME;
    this.#readNames = options.readNames ?? ((path) => readdir(path, { withFileTypes: true }));
  }

  /** The entries of a directory, with links that may not be visible. */
  async read(directory: string): Promise<DirectoryPart> {
    const { root } = this.#visible;
    const part = await root.use(directory, async (opened, stats) => {
      if (opened.path !== directory || !stats.isDirectory()) return NOTHING;
      const stamp = stampOf(stats);
      const known = this.#cache.get(directory);
      this.#forget(directory);
      if (known?.stamp === stamp) return this.#keep(directory, known);
      const names = await this.#readNames(await root.pathOf(opened));
      const found = limit(toEntries(this.#visible, directory, names), this.#maxEntries);
      return this.#isSettled(stats) ? this.#keep(directory, { ...found, stamp }) : found;
    });
    // It was removed, or replaced by a link, since its parent was read.
    return part ?? NOTHING;
  }

  /** The visible entries of a directory. */
  async readVisible(directory: string): Promise<DirectoryPart> {
    const { entries, more } = await this.read(directory);
    const shown: FileEntry[] = [];
    for (const entry of entries) {
      if (!(await isVisible(this.#visible, entry))) continue;
      if (shown.length === this.#maxEntries) return { entries: shown, more: true };
      shown.push(entry);
    }
    return { entries: shown, more };
  }

  #isSettled({ mtimeMs, ctimeMs }: BigIntStats): boolean {
    return Date.now() - Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs) >= this.#settleTime;
  }

  #keep(directory: string, part: Cached): Cached {
    // A concurrent read may have been faster.
    this.#forget(directory);
    this.#cache.set(directory, part);
    this.#cached += part.entries.length + 1;
    for (const oldest of this.#cache.keys()) {
      if (this.#cached <= MAX_CACHED) break;
      this.#forget(oldest);
    }
    return part;
  }

  #forget(directory: string): void {
    const part = this.#cache.get(directory);
    if (part === undefined) return;
    this.#cache.delete(directory);
    this.#cached -= part.entries.length + 1;
  }
}

function stampOf({ dev, ino, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${mtimeNs} ${ctimeNs}`;
}

/** Keeps the first `max` files and directories, and the links between them. */
function limit(entries: readonly FileEntry[], max: number): DirectoryPart {
  if (entries.length <= max) return { entries, more: false };
  let count = 0;
  const end = entries.findIndex(({ isLink }) => !isLink && ++count > max);
  return end < 0 ? { entries, more: false } : { entries: entries.slice(0, end), more: true };
}

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
  /** A link was not followed yet: `isVisible` returns whether it leads to a visible file. */
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
function toEntries(visible: VisibleFiles, directory: string, names: readonly Dirent[]): FileEntry[] {
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
async function isVisible(visible: VisibleFiles, { path, isLink }: FileEntry): Promise<boolean> {
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
