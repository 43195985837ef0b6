import { hash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, normalize, relative, resolve, sep } from "node:path";
import type { FileObserver } from "../derive/index.ts";
import { findCompiler } from "./packages.ts";

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

function hasStamp({ size, mtimeMs, ctimeMs }: Stats, stamp: Stamp | undefined): boolean {
  return stamp !== undefined && stamp[0] === size && stamp[1] === mtimeMs && stamp[2] === ctimeMs;
}

/** Returns a digest of a content, in hexadecimal. */
export function digestOf(content: string | Uint8Array): string {
  return hash("sha256", content, "hex");
}

/** Describes the thing at a path, without following it if it is a symbolic link. */
function kindOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "nothing";
  if (stats.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  return stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other";
}

/** Collects the symbolic links in paths, with their kinds. Each folder is examined once. */
class Links {
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

/**
 * Everything in the file system that a derivation depends on. Paths of folders are relative to the project, so that it
 * can be moved.
 */
export interface Inputs {
  /** The files that were read or found, by folder and name. */
  readonly files: { readonly [folder: string]: { readonly [name: string]: FileInput } };
  /**
   * The folders in which lookups failed. A file can only appear there with a new stamp of the folder, so thousands of
   * missing files cost a few hundred stamps.
   */
  readonly folders: { readonly [path: string]: FolderInput };
  /** Symbolic links, and paths at which a file was looked for and something else is. */
  readonly kinds: { readonly [path: string]: string };
}

interface FileInput {
  readonly digest: string;
  readonly stamp?: Stamp | undefined;
}

interface FolderInput {
  readonly stamp?: Stamp | undefined;
  /** The names that did not exist, separated by slashes. */
  readonly missing: string;
  /** The digest of all names, if they were read. */
  readonly listing?: string;
}

/** The outcome of a comparison. */
export interface Comparison {
  /** The first input that has changed. */
  readonly change?: string;
  /** The inputs with their current stamps, if writing them makes the next comparison faster. */
  readonly refreshed?: Inputs;
}

/** A folder with fewer missing names is not worth writing: its names are looked up faster. Folders like /tmp change often. */
const WORTHWHILE = 20;

/**
 * Compares the inputs of a derivation with the file system. The content of a file is read only if its stamp differs,
 * for example after a checkout.
 */
export function compareInputs(project: string, inputs: Inputs, now = Date.now()): Comparison {
  for (const [path, kind] of Object.entries(inputs.kinds)) {
    if (kindOf(resolve(project, path)) !== kind) return { change: `${path} changed` };
  }
  const files = compareFiles(project, inputs, now);
  if (files.change !== undefined) return files;
  const folders = compareFolders(project, files.refreshed ?? inputs, now);
  return folders.change === undefined ? { ...files, ...folders } : folders;
}

function compareFiles(project: string, inputs: Inputs, now: number): Comparison {
  const { files, kinds } = inputs;
  const links = new Links();
  const refreshed: Record<string, Record<string, FileInput>> = {};
  for (const path in files) {
    const folder = resolve(project, path);
    const inFolder = files[path] ?? {};
    for (const name in inFolder) {
      const input = inFolder[name] as FileInput;
      // Not `join`: this loop runs more than a thousand times at each start.
      const file = `${folder}${sep}${name}`;
      const stats = statSync(file, { throwIfNoEntry: false });
      if (!stats?.isFile()) return { change: `${join(path, name)} is gone` };
      if (hasStamp(stats, input.stamp)) continue;
      if (digestOf(readFileSync(file)) !== input.digest) return { change: `${join(path, name)} changed` };
      links.add(file);
      const stamp = stampOf(stats, now);
      if (stamp !== undefined) refreshed[path] = { ...(refreshed[path] ?? inFolder), [name]: { ...input, stamp } };
    }
  }
  // The same content may be elsewhere now: `npm link` makes a package part of the project.
  for (const path of links.found.keys()) {
    if (!Object.hasOwn(kinds, toRelative(project, path))) return { change: `${path} is a link now` };
  }
  return Object.keys(refreshed).length === 0 ? {} : { refreshed: { ...inputs, files: { ...files, ...refreshed } } };
}

function compareFolders(project: string, inputs: Inputs, now: number): Comparison {
  const { folders } = inputs;
  const refreshed: Record<string, FolderInput> = {};
  for (const path in folders) {
    const input = folders[path] as FolderInput;
    const folder = resolve(project, path);
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (!stats?.isDirectory()) return { change: `${path} is gone` };
    if (hasStamp(stats, input.stamp)) continue;
    const missing = input.missing === "" ? [] : input.missing.split("/");
    const appeared = missing.find((name) => kindOf(join(folder, name)) !== "nothing");
    if (appeared !== undefined) return { change: `${join(path, appeared)} is new` };
    if (input.listing !== undefined && digestNames(folder) !== input.listing) return { change: `${path} changed` };
    const stamp = stampOf(stats, now);
    if (stamp !== undefined && missing.length >= WORTHWHILE) refreshed[path] = { ...input, stamp };
  }
  return Object.keys(refreshed).length === 0 ? {} : { refreshed: { ...inputs, folders: { ...folders, ...refreshed } } };
}

/** Returns a digest of the names in a folder; one of no names if it cannot be read. */
function digestNames(folder: string): string {
  try {
    return digestOf(readdirSync(folder).sort().join("/"));
  } catch {
    return digestOf("");
  }
}

export function toRelative(project: string, path: string): string {
  return relative(project, path).replaceAll(sep, "/");
}

/** Records the inputs of a derivation. */
export class InputRecorder implements FileObserver {
  readonly #start: number;
  /** The version of the compiler is enough for its own files, which no project has a reason to edit. */
  readonly #compiler = findCompiler().directory + sep;
  readonly #files = new Map<string, string | undefined>();
  readonly #missing = new Set<string>();
  readonly #listed = new Set<string>();

  /** @param start - in milliseconds. A file that changed after this time may have changed after it was read. */
  constructor(start = Date.now()) {
    this.#start = start;
  }

  read(path: string, content: Buffer): void {
    const file = normalize(path);
    // The first content counts: a later one belongs to a later derivation.
    if (!file.startsWith(this.#compiler) && this.#files.get(file) === undefined) {
      this.#files.set(file, digestOf(content));
    }
  }

  found(path: string): void {
    const file = normalize(path);
    if (!file.startsWith(this.#compiler) && !this.#files.has(file)) this.#files.set(file, undefined);
  }

  missing(path: string): void {
    const file = normalize(path);
    if (!file.startsWith(this.#compiler)) this.#missing.add(file);
  }

  listed(path: string): void {
    this.#listed.add(normalize(path));
  }

  /** Returns the inputs of the derivation of a module. @throws if a file that was found cannot be read. */
  inputsOf(project: string, module: string): Inputs {
    const links = new Links();
    links.add(module);
    const files: Record<string, Record<string, FileInput>> = {};
    for (const [file, digest = digestOf(readFileSync(file))] of this.#files) {
      links.add(file);
      const folder = toRelative(project, dirname(file));
      files[folder] ??= {};
      files[folder][basename(file)] = { digest, stamp: stampOf(statSync(file), this.#start) };
    }
    const { names, others } = this.#byFolder();
    const folders: Record<string, FolderInput> = {};
    for (const folder of new Set([...names.keys(), ...this.#listed])) {
      const stats = statSync(folder, { throwIfNoEntry: false });
      if (stats === undefined) continue;
      links.add(folder);
      const missing = [...(names.get(folder) ?? [])].join("/");
      const listing = this.#listed.has(folder) ? { listing: digestNames(folder) } : {};
      folders[toRelative(project, folder)] = { stamp: stampOf(stats, this.#start), missing, ...listing };
    }
    const kinds = [...others, ...links.found].map(([path, kind]) => [toRelative(project, path), kind]);
    return { files, folders, kinds: Object.fromEntries(kinds) };
  }

  /** Returns the nearest existing folder of each missing path, with the name that would have to appear in it. */
  #byFolder(): { names: Map<string, Set<string>>; others: Map<string, string> } {
    const names = new Map<string, Set<string>>();
    const others = new Map<string, string>();
    const known = new Map<string, boolean>();
    const isFolder = (path: string) => {
      const found = known.get(path) ?? statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
      known.set(path, found);
      return found;
    };
    for (const path of this.#missing) {
      let at = path;
      while (!isFolder(dirname(at)) && dirname(at) !== at) at = dirname(at);
      const kind = kindOf(at);
      // A file that appeared while the module was derived stays missing, so that the next start notices it.
      const isNew = kind === "file" && at === path && !this.#files.has(at);
      if (kind !== "nothing" && !isNew) others.set(at, kind);
      else names.set(dirname(at), (names.get(dirname(at)) ?? new Set()).add(basename(at)));
    }
    return { names, others };
  }
}
