import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import type { Manifest } from "proffer/derived";
import type { Derivation, Diagnostic, Emission } from "../derive/index.ts";
import { atSource, writeEmission } from "./emission.ts";
import { digestFile, digestText, type Fingerprint, findChange, takeFingerprint } from "./fingerprint.ts";
import { findProject } from "./module-file.ts";
import { toManifest } from "./to-manifest.ts";

/** A cached derivation: enough to serve the module without the compiler. */
export interface CachedModule {
  readonly form: Derivation["form"];
  readonly manifest: Manifest;
  readonly diagnostics: readonly Diagnostic[];
  /** Absolute path of the JavaScript to import. */
  readonly entry: string;
}

interface Stored {
  readonly fingerprint: Fingerprint;
  readonly form: Derivation["form"];
  readonly manifest: Manifest;
  readonly diagnostics: readonly Diagnostic[];
  /** The name of the folder with the JavaScript; `entry` is relative to it. */
  readonly folder: string;
  readonly entry: string;
  /** Digests of the emitted files, by path. */
  readonly emitted: { readonly [path: string]: string };
}

/** The place of a module's cache. */
export interface CacheLocation {
  readonly project: string;
  readonly module: string;
  readonly folder: string;
}

const ROOT = ".proffer";
const FILE = "manifest.json";
/** The digest covers the serialized text, so that validating the cache does not serialize the parsed value again. */
const ENVELOPE = /^\{"digest":"([0-9a-f]+)","stored":(.*)\}$/s;
/** A process that started before a change may still import files that were emitted for the older version. */
const MAX_EMISSIONS = 3;

export function locateCache(module: string): CacheLocation {
  const project = findProject(module);
  const id = digestText(relative(project, module)).slice(0, 8);
  return { project, module, folder: join(project, ROOT, `${basename(module)}-${id}`) };
}

/**
 * Reads the cache of a module; undefined if there is no cache or one of its inputs has changed.
 * @throws if the cache cannot be read or is damaged.
 */
export function readCache({ project, folder }: CacheLocation): CachedModule | undefined {
  const stored = readStored(join(folder, FILE));
  if (stored === undefined || findChange(project, stored.fingerprint) !== undefined) return undefined;
  const root = join(folder, stored.folder);
  for (const [path, digest] of Object.entries(stored.emitted)) {
    if (digestFile(join(root, path)) !== digest) throw new Error(`${join(root, path)} was modified`);
  }
  const { form, manifest, diagnostics } = stored;
  return { form, manifest, diagnostics, entry: join(root, stored.entry) };
}

/** Returns a random path for the next folder of emitted files, so that concurrent processes never share one. */
export function newEmissionFolder({ folder }: CacheLocation): string {
  return join(folder, randomBytes(6).toString("hex"));
}

/** Writes a derivation and the files that were emitted for `root`. @throws if the project is not writable. */
export function writeCache(
  location: CacheLocation,
  derivation: Derivation,
  emission: Emission,
  root: string,
): CachedModule {
  const { form, diagnostics } = derivation;
  const placed = atSource(emission);
  const stored: Stored = {
    fingerprint: takeFingerprint(location.project, location.module, derivation),
    form,
    manifest: toManifest(derivation),
    diagnostics,
    folder: basename(root),
    entry: placed.entry,
    emitted: Object.fromEntries(placed.files.map(({ path, text }) => [path, digestText(text)])),
  };
  mkdirSync(location.folder, { recursive: true });
  writeFileSync(join(location.project, ROOT, ".gitignore"), "*\n");
  writeEmission(root, placed);
  // Emitted files are ES modules, even if the project's package.json says otherwise.
  writeFileSync(join(root, "package.json"), '{ "type": "module" }\n');
  writeStored(join(location.folder, FILE), stored);
  removeOldEmissions(location.folder);
  return { form, manifest: stored.manifest, diagnostics, entry: join(root, placed.entry) };
}

function readStored(file: string): Stored | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const [, digest, stored] = ENVELOPE.exec(text) ?? [];
  if (stored === undefined || digestText(stored) !== digest) throw new Error(`${file} was modified`);
  return JSON.parse(stored);
}

/** Replaces the file atomically: concurrent readers see the old file or the new one, never a part of it. */
function writeStored(file: string, stored: Stored): void {
  const temporary = `${file}.${process.pid}`;
  const text = JSON.stringify(stored);
  writeFileSync(temporary, `{"digest":"${digestText(text)}","stored":${text}}`);
  renameSync(temporary, file);
}

function removeOldEmissions(folder: string): void {
  const emissions = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ path: join(folder, name), time: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.time - a.time);
  for (const { path } of emissions.slice(MAX_EMISSIONS)) rmSync(path, { recursive: true, force: true });
}
