import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Derivation } from "../derive/index.ts";
import { findCompiler, ownVersion } from "./own-version.ts";

/** Everything that a derivation depends on. Paths are relative to the project, so that it may move. */
export interface Fingerprint {
  readonly maker: string;
  /** Contents, by path. */
  readonly files: { readonly [path: string]: string };
  /** Files whose coming into being would change the result. */
  readonly absent: readonly string[];
  /** Versions, by folder. */
  readonly packages: { readonly [directory: string]: string };
}

/** Takes the fingerprint of what was derived from a module. */
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

/** What is not any more as it was, in words; undefined if everything is. */
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
export function digestFile(path: string): string {
  return digestText(readFileSync(path));
}

export function digestText(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** While Proffer itself is being worked on its version stays, but its files do not. */
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

/** A tsconfig.json that is nearer than the one that was found would win over it. */
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
