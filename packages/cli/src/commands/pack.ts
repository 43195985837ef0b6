import type { SourceFlags } from "../build/build-source.ts";
import { findBuiltFolder, findModule } from "../modules/module-file.ts";
import { readProjectPackage } from "../modules/packages.ts";
import { describeMcpb } from "../pack/mcpb-manifest.ts";
import { writePackage } from "../pack/output-file.ts";
import { packBuilt, packModule } from "../pack/packed-server.ts";
import { writeZip } from "../pack/zip.ts";
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
