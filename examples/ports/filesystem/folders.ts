import { realpathSync, statSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Context } from "proffer";

/** The folders that clients may use, each as it was named and as it is on the disk. */
export class Folders {
  readonly all: readonly string[];

  constructor(names: readonly string[]) {
    this.all = names.map((name) => resolve(expandHome(name))).flatMap(usableNames);
  }

  /**
   * Returns the real path of a file or folder that may be used, even if it does not exist yet.
   * @throws {Error} for a path outside of the folders, also through a symbolic link.
   */
  async find(path: string): Promise<string> {
    const expanded = expandHome(path);
    if (sep === "/" && /^[A-Za-z]:([\\/]|$)/.test(expanded)) {
      throw new Error(`Access denied - Windows-style path received on a POSIX host: ${path}`);
    }
    const absolute = isAbsolute(expanded) ? resolve(expanded) : this.#fromFolder(expanded);
    if (!this.#contains(absolute)) throw this.#denied("path", absolute);
    try {
      return this.#checked(await realpath(absolute));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    try {
      return await this.#findMissing(absolute);
    } catch (error) {
      if (!isMissing(error)) throw error;
      throw new Error(`Parent directory does not exist: ${dirname(absolute)}`);
    }
  }

  /** A relative path belongs to the first folder in which it stays inside. */
  #fromFolder(path: string): string {
    const candidates = this.all.map((folder) => resolve(folder, path));
    return candidates.find((candidate) => this.#contains(candidate)) ?? candidates[0] ?? resolve(path);
  }

  #contains(path: string): boolean {
    return !path.includes("\0") && this.all.some((folder) => isInside(path, folder));
  }

  #checked(real: string): string {
    if (this.#contains(real)) return real;
    throw this.#denied("symlink target", real);
  }

  #denied(what: string, path: string): Error {
    return new Error(`Access denied - ${what} outside allowed directories: ${path} not in ${this.all.join(", ")}`);
  }

  /**
   * Follows a path that does not exist as far as it does. macOS stores names in another Unicode form than most people
   * type, so a name that differs only in its form counts as the same.
   */
  async #findMissing(path: string): Promise<string> {
    const inside = this.all.filter((folder) => isInside(path, folder));
    const folder = inside.reduce((one, other) => (other.length > one.length ? other : one));
    const names = relative(folder, path).split(sep).filter(Boolean);
    let found = await realpath(folder);
    for (const [index, name] of names.entries()) {
      const entry = sameName(await readdir(found), name);
      if (entry === undefined) return join(found, ...names.slice(index));
      found = this.#checked(await realpath(join(found, entry)));
    }
    return found;
  }
}

function sameName(entries: readonly string[], name: string): string | undefined {
  if (entries.includes(name)) return name;
  const [same, another] = entries.filter((entry) => entry.normalize("NFC") === name.normalize("NFC"));
  if (another !== undefined) throw new Error(`Ambiguous Unicode path component: ${name}`);
  return same;
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The name and the real path of a folder, which differ behind a symbolic link; neither if it cannot be used. */
function usableNames(folder: string): string[] {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return [...new Set([folder, realpathSync(folder)])];
  const problem = stats === undefined ? `Cannot access directory ${folder}` : `${folder} is not a directory`;
  console.error(`Warning: ${problem}, skipping`);
  return [];
}

function expandHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

const names = process.argv.slice(2);
const named = new Folders(names);
if (names.length > 0 && named.all.length === 0) throw new Error("None of the named folders can be used.");

/** The folders of a client that announces its roots, and otherwise those named on the command line. */
export async function foldersOf(ctx: Context): Promise<Folders> {
  if (ctx.client.capabilities.roots === undefined) return named;
  const roots = await ctx.roots();
  const folders = new Folders(roots.map(({ uri }) => (uri.startsWith("file:") ? fileURLToPath(uri) : uri)));
  return folders.all.length === 0 ? named : folders;
}
