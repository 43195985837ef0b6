import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../terminal/command-error.ts";
import { Text, text } from "../terminal/text.ts";
import type { ZipEntry } from "./zip.ts";

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

/** A file to pack, by its path with forward slashes. */
interface FoundFile {
  readonly path: string;
  readonly file: string;
  readonly size: number;
}

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

function* walk(folder: string, prefix: string, problems: Text[]): Generator<FoundFile> {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort(byName)) {
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

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1;
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
