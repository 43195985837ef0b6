import { closeSync, openSync, readSync, statSync, writeFileSync } from "node:fs";
import { extname } from "node:path";
import { CommandError } from "../terminal/command-error.ts";
import { fromHere } from "../terminal/shell.ts";

const EXTENSION = ".mcpb";

/** Writes a package. An earlier package is replaced. @throws {CommandError} for any other file, or a folder. */
export function writePackage(out: string, archive: Uint8Array): void {
  if (extname(out) !== EXTENSION) throw new CommandError(`${out} must end with ${EXTENSION}. Nothing was written.`);
  const path = fromHere(out);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && !(stats.isFile() && isArchive(path))) {
    throw new CommandError(`${out} exists and is not a package. Nothing was written. Choose another name.`);
  }
  try {
    writeFileSync(path, archive);
  } catch (cause) {
    throw new CommandError(`${out} cannot be written: ${(cause as Error).message}`, { cause });
  }
}

/** Whether a file is an archive in the ZIP format. */
function isArchive(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const start = Buffer.alloc(4);
    return readSync(file, start) === 4 && start.toString("latin1") === "PK\u0003\u0004";
  } finally {
    closeSync(file);
  }
}
