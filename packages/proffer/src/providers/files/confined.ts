import { resolve } from "node:path";
import { InvalidParams, type RpcError } from "../../protocol/errors.ts";
import { pathProblem } from "../../resources/params/path.ts";
import { Directories, type VisibleFiles } from "./directories.ts";
import { readBytes } from "./read.ts";
import { FilesRoot, type OpenFile } from "./root.ts";

/** Options for `confine`. */
export interface ConfineOptions {
  /** Maximum size of a file in bytes. Default: 8 MiB. */
  readonly maxBytes?: number;
  /** Creates the error for a link that leads outside. Default: the file does not exist. */
  readonly outside?: (path: string) => RpcError;
}

/** A file or directory in a confined directory. */
export interface ConfinedEntry {
  readonly name: string;
  readonly isDirectory: boolean;
}

/** Access to the files of one directory, and to nothing outside it. An unsafe path throws `InvalidParams`. */
export interface ConfinedDirectory {
  /** Reads a file as bytes; undefined if it does not exist. @throws {InvalidParams} if it is too large. */
  bytes(path: string): Promise<Uint8Array | undefined>;
  /** Reads a file as UTF-8 text; undefined if it does not exist. @throws {InvalidParams} if it is too large. */
  text(path: string): Promise<string | undefined>;
  /** Whether the file exists. */
  has(path: string): Promise<boolean>;
  /**
   * Lists the directory, or a directory below it, sorted by name; empty if it does not exist. Links are listed only if
   * they lead to files inside.
   */
  entries(path?: string): Promise<readonly ConfinedEntry[]>;
}

const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Opens a directory for your own handlers with the same confinement as `files`: neither "..", nor an absolute
 * path, nor a symbolic link leads outside. Use it for paths that contain client input.
 *
 * @example
 * const scenarios = confine("/srv/scenarios");
 *
 * defineResource({
 *   uri: "scenarios://{name}",
 *   name: "Scenario",
 *   read: ({ name }) => scenarios.text(`${name}.lua`), // undefined (not found) if there is no such file
 * });
 */
export function confine(directory: string, options: ConfineOptions = {}): ConfinedDirectory {
  const { maxBytes = MAX_BYTES, outside } = options;
  const root = new FilesRoot(resolve(directory), outside);
  const visible: VisibleFiles = { root, uri: "", showsFile: () => true, showsDirectory: () => true };
  const directories = new Directories(visible);

  /** Runs `work` with the open file; undefined if it does not exist. */
  async function withFile<Value>(path: string, work: (file: OpenFile, size: number) => Value | Promise<Value>) {
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
    return withFile(path, (file, size) => {
      if (size <= maxBytes) return readBytes(file, 0, size);
      throw new InvalidParams(`${JSON.stringify(path)} has ${size} bytes; the limit is ${maxBytes}.`);
    });
  }

  return {
    bytes,
    text: async (path) => (await bytes(path))?.toString("utf8"),
    has: async (path) => (await withFile(path, () => true)) ?? false,
    async entries(path = "") {
      if (path !== "") checkPath(path);
      const { entries } = await directories.readVisible(path);
      return entries
        .map((each) => ({ name: each.path.slice(each.path.lastIndexOf("/") + 1), isDirectory: each.isDirectory }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}

function checkPath(path: string): void {
  const problem = pathProblem(path);
  if (problem !== undefined) throw new InvalidParams(`The path ${JSON.stringify(path)} ${problem}.`);
}
