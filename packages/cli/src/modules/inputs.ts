import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { digestOf, hasStamp, kindOf, Links, type Stamp, stampOf } from "./stamp.ts";

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

export interface FileInput {
  readonly digest: string;
  readonly stamp?: Stamp | undefined;
}

export interface FolderInput {
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

interface PartialComparison<Part extends keyof Inputs> {
  readonly change?: string;
  readonly refreshed?: Pick<Inputs, Part>;
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
  if (files.change !== undefined) return { change: files.change };
  const folders = compareFolders(project, inputs, now);
  if (folders.change !== undefined) return { change: folders.change };
  if (files.refreshed === undefined && folders.refreshed === undefined) return {};
  return { refreshed: { ...inputs, ...files.refreshed, ...folders.refreshed } };
}

function compareFiles(project: string, { files, kinds }: Inputs, now: number): PartialComparison<"files"> {
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
  return Object.keys(refreshed).length === 0 ? {} : { refreshed: { files: { ...files, ...refreshed } } };
}

function compareFolders(project: string, { folders }: Inputs, now: number): PartialComparison<"folders"> {
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
  return Object.keys(refreshed).length === 0 ? {} : { refreshed: { folders: { ...folders, ...refreshed } } };
}

/** Returns a digest of the names in a folder; one of no names if it cannot be read. */
export function digestNames(folder: string): string {
  try {
    return digestOf(readdirSync(folder).sort().join("/"));
  } catch {
    return digestOf("");
  }
}

export function toRelative(project: string, path: string): string {
  return relative(project, path).replaceAll(sep, "/");
}
