import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Server } from "proffer";
import type { ManifestSettings } from "proffer/derived";
import { isSecret } from "proffer/settings";
import { openBuildSource, type SourceFlags } from "../build/build-source.ts";
import { type DescribedModule, load, readBuiltManifest } from "../modules/load.ts";
import { BUNDLE } from "../modules/module-file.ts";
import { toServerName } from "../modules/packages.ts";
import { CommandError } from "../terminal/command-error.ts";
import { listServer } from "../terminal/listing.ts";
import { currentShell } from "../terminal/shell.ts";
import { say } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";
import type { PackedItems, PackedServer } from "./mcpb-manifest.ts";
import { readPackedFiles } from "./packed-files.ts";
import type { ZipEntry } from "./zip.ts";

/** A server with the files of its package. */
export interface Packed {
  readonly server: PackedServer;
  readonly files: readonly ZipEntry[];
}

/** The folder of the server in a package. */
const FOLDER = "server";
/** In characters. A shorter value of a setting occurs in code by chance. */
const MIN_SECRET = 8;

/** Bundles a module. @throws {CommandError} for a module with an error, or one that cannot be bundled. */
export async function packModule(file: string, flags: SourceFlags): Promise<Packed> {
  const { loadBundler, writeBundle } = await import("../build/bundle.ts");
  const bundler = await loadBundler();
  const folder = mkdtempSync(join(tmpdir(), "proffer-pack-"));
  try {
    const out = join(folder, FOLDER);
    const source = await openBuildSource(file, out, flags);
    await writeBundle(source, out, bundler);
    const { derivation } = source;
    const files = readFiles(out, derivation.settings).map((entry) => withoutFolder(entry, basename(folder)));
    return { server: await describePacked(derivation, file, BUNDLE), files };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Packs a folder that `build` wrote, with its packages. @throws {CommandError} if they are not installed. */
export async function packBuilt(file: string, folder: string): Promise<Packed> {
  if (!existsSync(join(folder, "node_modules/proffer/package.json"))) {
    throw new CommandError(`${file} does not contain its packages. Run npm install --omit=dev --install-links in it.`);
  }
  const manifest = await readBuiltManifest(file, folder);
  const server = await describePacked(manifest, file, "index.js");
  return { server, files: readFiles(folder, manifest.settings) };
}

async function describePacked(manifest: DescribedModule, file: string, entry: string): Promise<PackedServer> {
  const { form, tools, prompts, settings } = manifest;
  const { name, version, instructions } = manifest.server;
  // The lists of any other server are code.
  const items = form === "functions" ? { tools, prompts } : await tryToList(() => load(file));
  return { name: toServerName(name), version, instructions, settings, entry: `${FOLDER}/${entry}`, items };
}

function readFiles(folder: string, settings: ManifestSettings | undefined): ZipEntry[] {
  const entries = Object.entries(settings?.properties ?? {});
  const secrets = entries.flatMap(([name, setting]) => (isSecret(setting) ? (currentShell().env[name] ?? []) : []));
  const files = readPackedFiles(
    folder,
    secrets.filter((value) => value.length >= MIN_SECRET),
  );
  return files.map(({ path, content }) => ({ path: `${FOLDER}/${path}`, content }));
}

/** The bundle names its sources in comments: the name of a temporary folder would change its bytes each time. */
function withoutFolder({ path, content }: ZipEntry, folder: string): ZipEntry {
  if (!path.endsWith(`/${BUNDLE}`)) return { path, content };
  return { path, content: Buffer.from(Buffer.from(content).toString("utf8").replaceAll(folder, "pack")) };
}

/** Lists a server that is code. One that cannot be imported here is packed without its lists. */
async function tryToList(open: () => Promise<Server>): Promise<PackedItems | undefined> {
  try {
    const { tools, prompts } = await listServer(await open());
    return { tools, prompts };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    say(text`warning: The package does not list the tools and prompts of the server, because ${error.text}`);
    return undefined;
  }
}
