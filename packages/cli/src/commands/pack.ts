import {
  type Dirent,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import type { Server } from "proffer";
import type { ManifestSettings } from "proffer/derived";
import { isSecret } from "proffer/settings";
import { type DescribedModule, load, readBuiltManifest } from "../modules/load.ts";
import { BUNDLE, findBuiltFolder, findModule, readStart } from "../modules/module-file.ts";
import { readProjectPackage, toServerName } from "../modules/packages.ts";
import { describeMcpb, type PackedItems, type PackedServer } from "../pack/mcpb-manifest.ts";
import { writeZip, type ZipEntry } from "../pack/zip.ts";
import { CommandError } from "../terminal/command-error.ts";
import { listServer } from "../terminal/listing.ts";
import { currentShell, fromHere } from "../terminal/shell.ts";
import { say } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";
import { openBuildSource, type SourceFlags } from "./build.ts";

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
/** The first characters of an archive in the ZIP format. */
const ZIP_START = "PK\u0003\u0004";

/** Writes a package. An earlier package is replaced. @throws {CommandError} for any other file, or a folder. */
function writePackage(out: string, archive: Uint8Array): void {
  if (extname(out) !== EXTENSION) throw new CommandError(`${out} must end with ${EXTENSION}. Nothing was written.`);
  const path = fromHere(out);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && !(stats.isFile() && readStart(path, 4) === ZIP_START)) {
    throw new CommandError(`${out} exists and is not a package. Nothing was written. Choose another name.`);
  }
  try {
    writeFileSync(path, archive);
  } catch (cause) {
    throw new CommandError(`${out} cannot be written: ${(cause as Error).message}`, { cause });
  }
}

/** The folder of the server in a package. */
const FOLDER = "server";
/** In characters. A shorter value of a setting occurs in code by chance. */
const MIN_SECRET = 8;

/** Bundles a module. @throws {CommandError} for a module with an error, or one that cannot be bundled. */
export async function packModule(file: string, flags: SourceFlags) {
  const { loadBundler, writeBundle } = await import("../build/bundle.ts");
  const bundler = await loadBundler();
  const folder = mkdtempSync(join(tmpdir(), "proffer-pack-"));
  try {
    const out = join(folder, FOLDER);
    const source = await openBuildSource(file, out, flags);
    await writeBundle(source, out, bundler);
    const { derivation } = source;
    // The bundle names its sources in comments: the name of a temporary folder would change its bytes each time.
    const withoutFolder = (bytes: Uint8Array) =>
      Buffer.from(Buffer.from(bytes).toString().replaceAll(basename(folder), "pack"));
    const files = readFiles(out, derivation.settings).map(({ path, content }) => {
      return { path, content: path.endsWith(`/${BUNDLE}`) ? withoutFolder(content) : content };
    });
    return { server: await describePacked(derivation, file, BUNDLE), files };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Packs a folder that `build` wrote, with its packages. @throws {CommandError} if they are not installed. */
export async function packBuilt(file: string, folder: string) {
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

/** Of all files together, before compression. */
const MAX_BYTES = 50 * 1024 * 1024;
/** The format counts them with 16 bits. */
const MAX_FILES = 65_535;
const MAX_SHOWN = 10;

/** Files that a server does not need when it runs. */
const SKIPPED = new Set([".bin", ".cache", ".git", ".DS_Store", ".package-lock.json"]);

/** Names of files that usually contain credentials. */
const CREDENTIALS =
  /^(?:\.env(?:\..+)?|\.npmrc|\.netrc|\.pgpass|id_(?:rsa|dsa|ecdsa|ed25519)|credentials(?:\.json)?|.+\.(?:pem|key|p12|pfx|jks|keystore))$/i;
const SAMPLE = /\.(?:example|sample|template)$/i;

/**
 * Reads the files of a folder for a package.
 * @param secrets - values that no file may contain
 * @throws {CommandError} that names each file that must not be packed, or the size.
 */
export function readPackedFiles(folder: string, secrets: readonly string[]): ZipEntry[] {
  const problems: Text[] = [];
  const found = [...walk(folder, "", problems)];
  const size = found.reduce((sum, each) => sum + each.size, 0);
  if (size > MAX_BYTES) problems.push(text`The files have ${size} bytes, more than ${MAX_BYTES}.`);
  if (found.length > MAX_FILES) problems.push(text`There are ${found.length} files, more than ${MAX_FILES}.`);
  if (problems.length > 0) throw refusal(problems);
  const entries = found.map(({ path, file }) => ({ path, content: readFileSync(file) }));
  for (const { path, content } of entries) {
    if (secrets.some((secret) => content.includes(secret))) {
      problems.push(text`${path} contains the value of a secret setting. Read it by defineSettings instead.`);
    }
  }
  if (problems.length > 0) throw refusal(problems);
  return entries;
}

function refusal(problems: readonly Text[]): CommandError {
  const others = problems.length - MAX_SHOWN;
  const shown = problems.slice(0, MAX_SHOWN).map((problem) => text`- ${problem}`);
  const more = others > 0 ? [text`- … and ${others} more`] : [];
  return new CommandError(
    text`This server cannot be packed. Nothing was written.\n${Text.join([...shown, ...more], "\n")}`,
  );
}

function* walk(
  folder: string,
  prefix: string,
  problems: Text[],
): Generator<{ path: string; file: string; size: number }> {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const { name } = entry;
    const path = `${prefix}${name}`;
    if (SKIPPED.has(name)) continue;
    if (entry.isDirectory()) {
      yield* walk(join(folder, name), `${path}/`, problems);
      continue;
    }
    const problem = problemOf(entry, path);
    if (problem !== undefined) problems.push(problem);
    // Source maps contain paths of this machine, and differ from one to the next.
    else if (path.includes("node_modules/") || !name.endsWith(".map")) {
      const file = join(folder, name);
      yield { path, file, size: statSync(file).size };
    }
  }
}

function problemOf(entry: Dirent, path: string): Text | undefined {
  const { name } = entry;
  if (entry.isSymbolicLink()) {
    return text`${path} is a symbolic link, which may lead out of the package. Copy its target, or install packages with npm install --install-links.`;
  }
  if (!entry.isFile()) return text`${path} is not a file.`;
  if (/\.(?:node|dll|dylib|so)$/i.test(name)) {
    return text`${path} is native code, which runs on one platform only. Replace the package that contains it.`;
  }
  // Packages publish certificates for their tests.
  if (!path.includes("node_modules/") && CREDENTIALS.test(name) && !SAMPLE.test(name)) {
    return text`${path} usually contains credentials. Leave it out, and declare settings instead.`;
  }
  return undefined;
}
