import { resolve } from "node:path";
import { InvalidParams, type RpcError } from "../../protocol/errors.ts";
import { pathProblem } from "../../resources/params/path.ts";
import type { OpenFile } from "./open-file.ts";
import { readBytes } from "./read.ts";
import { FilesRoot } from "./root.ts";
import { readDirectory, type Shown } from "./walk.ts";

export interface ConfineOptions {
  /** How many bytes of a file are read at most. Default: 8 MiB. */
  readonly maxBytes?: number;
  /** What a link that leads out is refused with. Default: it looks as if nothing were there. */
  readonly outside?: (path: string) => RpcError;
}

/** A file or a directory in a confined directory. */
export interface ConfinedEntry {
  readonly name: string;
  readonly isDirectory: boolean;
}

/** The files of a directory, and of nothing outside it. A path that is none is refused with `InvalidParams`. */
export interface ConfinedDirectory {
  /** The bytes of a file; undefined if there is none. @throws {InvalidParams} for one that is too large. */
  bytes(path: string): Promise<Uint8Array | undefined>;
  /** The text of a file; undefined if there is none. @throws {InvalidParams} for one that is too large. */
  text(path: string): Promise<string | undefined>;
  /** Whether there is such a file. */
  has(path: string): Promise<boolean>;
  /**
   * What is in the directory, or in one below it, by name; nothing if it is not there. Of links, those to files that
   * are inside.
   */
  entries(path?: string): Promise<readonly ConfinedEntry[]>;
}

const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Opens files of a directory for handlers of your own, confined as those of `files` are: for paths that are made of what
 * clients send.
 */
export function confine(directory: string, options: ConfineOptions = {}): ConfinedDirectory {
  const { maxBytes = MAX_BYTES, outside } = options;
  const root = new FilesRoot(resolve(directory), outside);
  const shown: Shown = { root, uri: "", showsFile: () => true, showsDirectory: () => true };

  /** Uses a file; undefined if there is none. */
  async function use<Value>(path: string, work: (file: OpenFile, size: number) => Value | Promise<Value>) {
    checkPath(path);
    const opened = await root.open(path);
    if (opened === undefined) return undefined;
    try {
      const stats = opened.file.stat();
      return stats.isFile() ? await work(opened.file, Number(stats.size)) : undefined;
    } finally {
      opened.file.close();
    }
  }

  function bytes(path: string): Promise<Buffer | undefined> {
    return use(path, (file, size) => {
      if (size <= maxBytes) return readBytes(file, 0, size);
      throw new InvalidParams(`${JSON.stringify(path)} has ${size} bytes; the most is ${maxBytes}.`);
    });
  }

  return {
    bytes,
    text: async (path) => (await bytes(path))?.toString("utf8"),
    has: async (path) => (await use(path, () => true)) ?? false,
    async entries(path = "") {
      if (path !== "") checkPath(path);
      const found = await readDirectory(shown, path);
      return found
        .map((each) => ({ name: each.path.slice(each.path.lastIndexOf("/") + 1), isDirectory: each.isDirectory }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}

function checkPath(path: string): void {
  const problem = pathProblem(path);
  if (problem !== undefined) throw new InvalidParams(`The path ${JSON.stringify(path)} ${problem}.`);
}
