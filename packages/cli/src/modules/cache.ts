import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { Manifest } from "proffer/derived";
import type { Derivation, Diagnostic, Emission } from "../derive/index.ts";
import { atSource, writeEmission } from "./emission.ts";
import type { EmissionData } from "./emission-hooks.ts";
import { digestText, type Fingerprint, findChange, takeFingerprint } from "./fingerprint.ts";
import { findProject } from "./module-file.ts";
import { toManifest } from "./to-manifest.ts";
import {
  checkFolder,
  checkSeal,
  claimFolder,
  FILE_MODE,
  FOLDER_MODE,
  isReplaceable,
  readTrusted,
  sealOf,
  type Trust,
} from "./trust.ts";

/** A cached derivation: enough to serve the module without the compiler. */
export interface CachedModule {
  readonly form: Derivation["form"];
  readonly manifest: Manifest;
  readonly diagnostics: readonly Diagnostic[];
  /** Absolute path of the JavaScript to import. */
  readonly entry: string;
  /** The emitted files that were checked, by URL. Present if others could replace the files before Node imports them. */
  readonly texts?: EmissionData;
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

/** Returns the folder that contains the caches of a project. */
export function cacheRoot({ project }: Pick<CacheLocation, "project">): string {
  return join(project, ROOT);
}

/**
 * Reads the cache of a module; undefined if there is no cache or one of its inputs has changed.
 * @throws {UntrustedError} if somebody else could have written the cache. @throws if it cannot be read or is damaged.
 */
export function readCache(location: CacheLocation, trust: Trust): CachedModule | undefined {
  const { project, folder } = location;
  const stored = readStored(location, trust);
  if (stored === undefined || findChange(project, stored.fingerprint) !== undefined) return undefined;
  const root = join(folder, stored.folder);
  const files = readEmitted(root, stored.emitted, trust);
  const { form, manifest, diagnostics } = stored;
  const cached = { form, manifest, diagnostics, entry: join(root, stored.entry) };
  return mustPin(location, Object.keys(stored.emitted), trust) ? { ...cached, texts: textsAt(root, files) } : cached;
}

/** Returns a random path for the next folder of emitted files, so that concurrent processes never share one. */
export function newEmissionFolder({ folder }: CacheLocation): string {
  return join(folder, randomBytes(6).toString("hex"));
}

/**
 * Creates the folder of a module's cache, which only the user may write.
 * @throws {UntrustedError} if the folder exists and is not the user's. @throws if the project is not writable.
 */
export function claimCache(location: CacheLocation, trust: Trust): void {
  const root = cacheRoot(location);
  claimFolder(root, trust);
  claimFolder(location.folder, trust);
  try {
    // Never through a symbolic link that was put there.
    writeFileSync(join(root, ".gitignore"), "*\n", { flag: "wx", mode: FILE_MODE });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

/**
 * Writes a derivation and the files that were emitted for `root`.
 * @throws {UntrustedError} if the cache is not the user's. @throws if the project is not writable.
 */
export function writeCache(
  location: CacheLocation,
  derivation: Derivation,
  emission: Emission,
  root: string,
  trust: Trust,
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
  const text = JSON.stringify(stored);
  const seal = sealOf(location.module, text, trust);
  claimCache(location, trust);
  // Fails if the folder exists.
  mkdirSync(root, { mode: FOLDER_MODE });
  writeEmission(root, placed, { folder: FOLDER_MODE, file: FILE_MODE });
  // Emitted files are ES modules, even if the project's package.json says otherwise.
  writeFileSync(join(root, "package.json"), '{ "type": "module" }\n', { mode: FILE_MODE });
  replaceFile(join(location.folder, FILE), `{"digest":"${seal}","stored":${text}}`);
  removeOldEmissions(location.folder);
  const cached = { form, manifest: stored.manifest, diagnostics, entry: join(root, placed.entry) };
  const isPinned = mustPin(location, Object.keys(stored.emitted), trust);
  return isPinned ? { ...cached, texts: textsAt(root, placed.files) } : cached;
}

function readStored({ project, module, folder }: CacheLocation, trust: Trust): Stored | undefined {
  const file = join(folder, FILE);
  let text: string;
  try {
    checkFolder(cacheRoot({ project }), trust);
    checkFolder(folder, trust);
    text = readTrusted(file, trust).toString("utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  const [, seal, stored] = ENVELOPE.exec(text) ?? [];
  if (seal === undefined || stored === undefined) throw new Error(`${file} was modified`);
  checkSeal(seal, module, stored, trust);
  return JSON.parse(stored);
}

type EmittedText = { readonly path: string; readonly text: string };

function readEmitted(root: string, emitted: Stored["emitted"], trust: Trust): EmittedText[] {
  const paths = Object.keys(emitted);
  for (const folder of foldersOf(paths)) checkFolder(join(root, folder), trust);
  return paths.map((path) => {
    const content = readTrusted(join(root, path), trust);
    if (digestText(content) !== emitted[path]) throw new Error(`${join(root, path)} was modified`);
    return { path, text: content.toString("utf8") };
  });
}

/** Returns the folders of relative paths, from "." downwards. */
function foldersOf(paths: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  }
  return folders;
}

/**
 * Reports whether Node must run the texts that were checked instead of reading the files again. CommonJS files are
 * always imported by path: Node cannot run one from memory that requires an ES module.
 */
function mustPin({ project }: CacheLocation, paths: readonly string[], trust: Trust): boolean {
  return !paths.some((path) => path.endsWith(".cjs")) && isReplaceable(project, trust);
}

function textsAt(root: string, files: readonly EmittedText[]): EmissionData {
  return Object.fromEntries(files.map(({ path, text }) => [pathToFileURL(join(root, path)).href, text]));
}

/** Replaces the file atomically: concurrent readers see the old file or the new one, never a part of it. */
function replaceFile(file: string, text: string): void {
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  writeFileSync(temporary, text, { flag: "wx", mode: FILE_MODE });
  renameSync(temporary, file);
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

function removeOldEmissions(folder: string): void {
  const emissions = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ path: join(folder, name), time: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.time - a.time);
  for (const { path } of emissions.slice(MAX_EMISSIONS)) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Root wrote it. An old folder that stays is no reason not to use the new one.
    }
  }
}
