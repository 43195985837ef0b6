import { resolve } from "node:path";
import { InvalidParams } from "../protocol/errors.ts";
import { pathProblem } from "../server/params/path.ts";
import { readBytes } from "./files-read.ts";
import { FilesRoot } from "./files-root.ts";

/** The files of a directory, and of nothing outside it. */
export interface ConfinedDirectory {
  /** The bytes of a file; undefined if there is none. @throws {InvalidParams} for a path that leads out, or a file too large. */
  bytes(path: string): Promise<Uint8Array | undefined>;
  /** The text of a file; undefined if there is none. @throws {InvalidParams} as `bytes` does. */
  text(path: string): Promise<string | undefined>;
}

const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Opens files of a directory for handlers of your own, confined as those of `files` are: for paths that are made of what
 * clients send. A file has at most `maxBytes`, by default 8 MiB.
 */
export function confine(directory: string, options: { readonly maxBytes?: number } = {}): ConfinedDirectory {
  const { maxBytes = MAX_BYTES } = options;
  const root = new FilesRoot(resolve(directory));
  async function bytes(path: string): Promise<Buffer | undefined> {
    const problem = pathProblem(path);
    if (problem !== undefined) throw new InvalidParams(`The path ${JSON.stringify(path)} ${problem}.`);
    const opened = await root.open(path);
    if (opened === undefined) return undefined;
    try {
      const stats = await opened.handle.stat();
      if (!stats.isFile()) return undefined;
      if (stats.size > maxBytes) {
        throw new InvalidParams(`${JSON.stringify(path)} has ${stats.size} bytes; the most is ${maxBytes}.`);
      }
      return await readBytes(opened.handle, 0, stats.size);
    } finally {
      await opened.handle.close();
    }
  }
  return { bytes, text: async (path) => (await bytes(path))?.toString("utf8") };
}
