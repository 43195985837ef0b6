import type { BigIntStats, Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { type FileEntry, isVisible, toEntries, type VisibleFiles } from "./walk.ts";

/** The entries of one directory in order, possibly not all. */
export interface DirectoryPart {
  readonly entries: readonly FileEntry[];
  /** The directory has more entries. */
  readonly more: boolean;
}

/** Options for `Directories`. */
export interface DirectoriesOptions {
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
    const opened = await root.open(directory);
    // It was removed, or replaced by a link, since its parent was read.
    if (opened === undefined) return NOTHING;
    try {
      const stats = opened.file.stat();
      if (opened.path !== directory || !stats.isDirectory()) return NOTHING;
      const stamp = stampOf(stats);
      const known = this.#cache.get(directory);
      this.#forget(directory);
      if (known?.stamp === stamp) return this.#keep(directory, known);
      const names = await this.#readNames(await root.pathOf(opened));
      const part = limit(toEntries(this.#visible, directory, names), this.#maxEntries);
      return this.#isSettled(stats) ? this.#keep(directory, { ...part, stamp }) : part;
    } finally {
      opened.file.close();
    }
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
