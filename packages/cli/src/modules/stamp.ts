import { hash } from "node:crypto";
import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * In milliseconds. File systems store coarse times: a file that changes twice within one step keeps its stamp. The
 * longest step in use is 2 seconds (FAT).
 */
const CLOCK_STEP = 2000;

/**
 * Changes with a file or folder: its size, modification time and change time. The change time covers edits that restore
 * the modification time, and package managers that set it to a constant (npm).
 */
export type Stamp = readonly [size: number, modified: number, changed: number];

/**
 * Returns the stamp of a file or folder; undefined if it changed so recently that it may change again with the same stamp.
 * @param now - a time before the stamp was taken and the content was read, in milliseconds.
 */
export function stampOf({ size, mtimeMs, ctimeMs }: Stats, now: number): Stamp | undefined {
  const isSettled = mtimeMs < now - CLOCK_STEP && ctimeMs < now - CLOCK_STEP;
  return isSettled ? [size, mtimeMs, ctimeMs] : undefined;
}

export function hasStamp({ size, mtimeMs, ctimeMs }: Stats, stamp: Stamp | undefined): boolean {
  return stamp !== undefined && stamp[0] === size && stamp[1] === mtimeMs && stamp[2] === ctimeMs;
}

/** Returns a digest of a content, in hexadecimal. */
export function digestOf(content: string | Uint8Array): string {
  return hash("sha256", content, "hex");
}

/** Describes what is at a path, without following it if it is a symbolic link. */
export function kindOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "nothing";
  if (stats.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  return stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other";
}

/** Collects the symbolic links in paths, with their kinds. Each folder is examined once. */
export class Links {
  readonly found = new Map<string, string>();
  readonly #seen = new Set<string>();

  /** Adds the links that lead to `path`, and those that lead to their targets. */
  add(path: string): void {
    for (let at = path; !this.#seen.has(at); at = dirname(at)) {
      this.#seen.add(at);
      const kind = kindOf(at);
      if (!kind.startsWith("->")) continue;
      this.found.set(at, kind);
      this.add(resolve(dirname(at), kind.slice(3)));
    }
  }
}
