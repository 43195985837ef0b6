import { closeSync, openSync, readSync, statSync, writeFileSync } from "node:fs";
import { extname } from "node:path";
import type { SourceFlags } from "../build/build-source.ts";
import { findBuiltFolder, findModule } from "../modules/module-file.ts";
import { readProjectPackage } from "../modules/packages.ts";
import { describeMcpb } from "../pack/mcpb-manifest.ts";
import { packBuilt, packModule } from "../pack/packed-server.ts";
import { writeZip } from "../pack/zip.ts";
import { CommandError } from "../terminal/command-error.ts";
import { fromHere } from "../terminal/shell.ts";
import { say } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";

export interface PackFlags extends SourceFlags {
  readonly out?: string;
}

/**
 * Writes a module, or a folder that `build` wrote, as a package that Claude Desktop and other clients install.
 * @throws {CommandError} if it cannot be packed; then nothing is written.
 */
export async function pack(file: string, flags: PackFlags): Promise<void> {
  const built = findBuiltFolder(file);
  const project = readProjectPackage(built ?? findModule(file));
  const { server, files } = await (built === undefined ? packModule(file, flags) : packBuilt(file, built));
  const manifest = `${JSON.stringify(describeMcpb(server, project.content), undefined, 2)}\n`;
  const entries = [{ path: "manifest.json", content: Buffer.from(manifest) }, ...files];
  const archive = writeZip(entries);
  const out = flags.out ?? `${server.name}.mcpb`;
  writePackage(out, archive);
  const kilobytes = Math.ceil(archive.length / 1000);
  say(text`Wrote ${out}: ${entries.length} files, ${kilobytes} kB. Open it with Claude Desktop to install it.`);
}

const EXTENSION = ".mcpb";

/** Writes a package. An earlier package is replaced. @throws {CommandError} for any other file, or a folder. */
function writePackage(out: string, archive: Uint8Array): void {
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
