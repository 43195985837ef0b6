import { readFileSync, statSync } from "node:fs";
import { basename, dirname, normalize, sep } from "node:path";
import type { FileObserver } from "../derive/index.ts";
import { digestNames, type FileInput, type FolderInput, type Inputs, toRelative } from "./inputs.ts";
import { findCompiler } from "./own-version.ts";
import { digestOf, kindOf, Links, stampOf } from "./stamp.ts";

/** Records the inputs of a derivation. */
export class InputRecorder implements FileObserver {
  readonly #start: number;
  /** The version of the compiler is enough for its own files, which no project has a reason to edit. */
  readonly #compiler = findCompiler().directory + sep;
  readonly #files = new Map<string, string | undefined>();
  readonly #missing = new Set<string>();
  readonly #listed = new Set<string>();

  /** @param start - in milliseconds. What changed after this time may have changed after it was read. */
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
    const isFolder = memoize((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
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

function memoize(find: (path: string) => boolean): (path: string) => boolean {
  const known = new Map<string, boolean>();
  return (path) => {
    const value = known.get(path) ?? find(path);
    known.set(path, value);
    return value;
  };
}
