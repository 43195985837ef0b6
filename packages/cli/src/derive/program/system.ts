import { readFileSync } from "node:fs";
import ts from "typescript";

/** Is notified of each part of the file system that a derivation depends on. */
export interface FileObserver {
  /** The content of a file was read. */
  read(path: string, content: Buffer): void;
  /** A file was found; its content may follow. */
  found(path: string): void;
  /** There is no file, or no folder, at this path. */
  missing(path: string): void;
  /** The names in a folder were read. */
  listed(path: string): void;
}

/** The operations of the file system that derivation uses. Code in `derive` must not access files in another way. */
export type System = Pick<
  ts.System,
  "fileExists" | "directoryExists" | "readFile" | "readDirectory" | "useCaseSensitiveFileNames"
> &
  Required<Pick<ts.System, "getDirectories" | "realpath">>;

/** Returns the file system, and reports its use to an observer if there is one. */
export function createSystem(observer?: FileObserver): System {
  const system = { ...ts.sys, realpath: ts.sys.realpath ?? ((path: string) => path) };
  if (observer === undefined) return system;
  return {
    ...system,
    fileExists(path) {
      const exists = ts.sys.fileExists(path);
      if (exists) observer.found(path);
      else observer.missing(path);
      return exists;
    },
    directoryExists(path) {
      const exists = ts.sys.directoryExists(path);
      if (!exists) observer.missing(path);
      return exists;
    },
    readFile(path) {
      let content: Buffer;
      try {
        content = readFileSync(path);
      } catch {
        observer.missing(path);
        return undefined;
      }
      observer.read(path, content);
      return decode(content);
    },
    getDirectories(path) {
      observer.listed(path);
      return ts.sys.getDirectories(path);
    },
  };
}

/** Decodes a file like `ts.sys.readFile`, which does not return the bytes that a digest must cover. */
function decode(content: Buffer): string {
  const [first, second, third] = content;
  if (first === 0xfe && second === 0xff) {
    return Buffer.from(content.subarray(0, content.length & ~1))
      .swap16()
      .toString("utf16le", 2);
  }
  if (first === 0xff && second === 0xfe) return content.toString("utf16le", 2);
  return content.toString("utf8", first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0);
}
