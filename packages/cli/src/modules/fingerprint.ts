import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Derivation } from "../derive/index.ts";
import { findCompiler, ownVersion } from "./own-version.ts";

/** The inputs of a derivation. Paths are relative to the project, so that the project can be moved. */
export interface Fingerprint {
  readonly maker: string;
  /** Digests of the source files, by path. */
  readonly files: { readonly [path: string]: string };
  /** Files that did not exist and would change the result. */
  readonly absent: readonly string[];
  /** Package versions, by folder. */
  readonly packages: { readonly [directory: string]: string };
}

/** Returns the fingerprint of a derivation. */
export function takeFingerprint(project: string, module: string, derivation: Derivation): Fingerprint {
  return {
    maker: maker(),
    files: Object.fromEntries(derivation.files.map((file) => [toRelative(project, file), digestFile(file)])),
    absent: missingConfigurations(module).map((file) => toRelative(project, file)),
    packages: Object.fromEntries(
      [findCompiler(), ...derivation.packages].map(({ directory, version }) => [
        toRelative(project, directory),
        version,
      ]),
    ),
  };
}

/** Describes the first input that has changed; undefined if none has. */
export function findChange(project: string, fingerprint: Fingerprint): string | undefined {
  if (fingerprint.maker !== maker()) return "Proffer changed";
  for (const [file, digest] of Object.entries(fingerprint.files)) {
    const path = resolve(project, file);
    if (!existsSync(path)) return `${file} is gone`;
    if (digestFile(path) !== digest) return `${file} changed`;
  }
  const appeared = fingerprint.absent.find((file) => existsSync(resolve(project, file)));
  if (appeared !== undefined) return `${appeared} is new`;
  for (const [directory, version] of Object.entries(fingerprint.packages)) {
    if (versionOf(resolve(project, directory)) !== version) return `the package in ${directory} changed`;
  }
  return undefined;
}

/** The digest of a file's content, in hexadecimal. */
function digestFile(path: string): string {
  return digestText(readFileSync(path));
}

export function digestText(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Identifies this build of the CLI. The modification time invalidates caches while Proffer is being developed. */
function maker(): string {
  const { mtimeMs } = statSync(fileURLToPath(import.meta.url));
  return `${ownVersion()} ${mtimeMs}`;
}

function versionOf(directory: string): string | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, "package.json"), "utf8")).version;
  } catch {
    return undefined;
  }
}

/** Returns where a new tsconfig.json would be nearer to the module than the one in use. */
function missingConfigurations(module: string): string[] {
  const missing: string[] = [];
  for (let folder = dirname(module); ; folder = dirname(folder)) {
    const file = join(folder, "tsconfig.json");
    if (existsSync(file)) return missing;
    missing.push(file);
    if (dirname(folder) === folder) return missing;
  }
}

function toRelative(project: string, path: string): string {
  return relative(project, path).replaceAll(sep, "/");
}
