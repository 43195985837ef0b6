import {
  type Dirent,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, extname, join } from "node:path";
import type { ManifestSettings } from "proffer/derived";
import { isSecret } from "proffer/settings";
import { WITHOUT_BUNDLE } from "../build/package-files.ts";
import { type StartFlags, startArtifact } from "../describe/start.ts";
import { type DescribedModule, readBuiltManifest } from "../modules/load.ts";
import { BUNDLE, findBuiltFolder, findModule, readStart } from "../modules/module-file.ts";
import { readProjectPackage, toServerName } from "../modules/packages.ts";
import { describeMcpb, type PackedItems, type PackedServer } from "../pack/mcpb-manifest.ts";
import { writeZip, type ZipEntry } from "../pack/zip.ts";
import { CommandError } from "../terminal/command-error.ts";
import { currentShell, fromHere } from "../terminal/shell.ts";
import { say } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";
import { openBuildSource, type SourceFlags } from "./build.ts";

export interface PackFlags extends SourceFlags {
  readonly out?: string;
}

/**
 * Writes a module, or a folder that `build` wrote, as a package that Claude Desktop and other clients install, and starts
 * it once.
 * @throws {CommandError} if it cannot be packed, or does not start; then nothing is written.
 */
export async function pack(file: string, flags: PackFlags): Promise<void> {
  const built = findBuiltFolder(file);
  const project = readProjectPackage(built ?? findModule(file));
  const { described, files, entry } = await (built === undefined ? packModule(file, flags) : packBuilt(file, built));
  // What package.json lacks is said before the package is started.
  describeMcpb({ ...described.server, settings: described.settings, entry, items: undefined }, project.content);
  const listing = flags.start === false ? undefined : await startPackage(files, entry, described, flags);
  const server = describePacked(described, entry, listing);
  const manifest = `${JSON.stringify(describeMcpb(server, project.content), undefined, 2)}\n`;
  const entries = [{ path: "manifest.json", content: Buffer.from(manifest) }, ...files];
  const archive = writeZip(entries);
  const out = flags.out ?? `${server.name}.mcpb`;
  writePackage(out, archive);
  const kilobytes = Math.ceil(archive.length / 1000);
  const started = listing === undefined ? "" : " It was started once to check it.";
  say(
    text`Wrote ${out}: ${entries.length} files, ${kilobytes} kB.${started} Open it with Claude Desktop to install it.`,
  );
}

/** Starts the files of a package in a folder that has nothing else. */
function startPackage(files: readonly ZipEntry[], entry: string, { settings }: DescribedModule, flags: StartFlags) {
  const remedy = entry.endsWith(BUNDLE)
    ? WITHOUT_BUNDLE
    : "Run npm install --omit=dev --install-links in the folder again.";
  const copyTo = (folder: string) => {
    for (const { path, content } of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
  };
  return startArtifact({ name: "The package", copyTo, entry, settings, remedy }, flags);
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

/** The content of a package. */
interface Packed {
  readonly described: DescribedModule;
  readonly files: readonly ZipEntry[];
  /** The file that starts the server, in the package. */
  readonly entry: string;
}

/** Bundles a module. @throws {CommandError} for a module with an error, or one that cannot be bundled. */
async function packModule(file: string, flags: PackFlags): Promise<Packed> {
  const { loadBundler, writeBundle } = await import("../build/bundle.ts");
  const bundler = await loadBundler();
  const folder = mkdtempSync(join(tmpdir(), "proffer-pack-"));
  try {
    const out = join(folder, FOLDER);
    const source = await openBuildSource(file, out, flags);
    await writeBundle(source, out, bundler, async () => {});
    const { derivation } = source;
    // The bundle names its sources in comments: the name of a temporary folder would change its bytes each time.
    const withoutFolder = (bytes: Uint8Array) =>
      Buffer.from(Buffer.from(bytes).toString().replaceAll(basename(folder), "pack"));
    const files = readFiles(out, derivation.settings).map(({ path, content }) => {
      return { path, content: path.endsWith(`/${BUNDLE}`) ? withoutFolder(content) : content };
    });
    return { described: derivation, files, entry: `${FOLDER}/${BUNDLE}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Packs a folder that `build` wrote, with its packages. @throws {CommandError} if they are not installed. */
async function packBuilt(file: string, folder: string): Promise<Packed> {
  if (!existsSync(join(folder, "node_modules/proffer/package.json"))) {
    throw new CommandError(`${file} does not contain its packages. Run npm install --omit=dev --install-links in it.`);
  }
  const described = await readBuiltManifest(file, folder);
  return { described, files: readFiles(folder, described.settings), entry: `${FOLDER}/index.js` };
}

/** @param listing - the lists of the started server; those of a server that was not started are only known if derived */
function describePacked(
  { form, tools, prompts, settings, server }: DescribedModule,
  entry: string,
  listing: PackedItems | undefined,
): PackedServer {
  const { name, version, instructions } = server;
  const items = form === "functions" ? { tools, prompts } : listing;
  return { name: toServerName(name), version, instructions, settings, entry, items };
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
