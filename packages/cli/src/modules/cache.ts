import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Manifest } from "proffer/derived";
import type { Derivation, Diagnostic, Emission } from "../derive/index.ts";
import { toManifest } from "./derive-module.ts";
import { atSource, mustPin, readEmitted, textsAt, writeEmission } from "./emission.ts";
import type { EmissionData } from "./emission-hooks.ts";
import { type Comparison, compareInputs, digestOf, type InputRecorder, type Inputs, toRelative } from "./inputs.ts";
import { findProject } from "./module-file.ts";
import { findCompiler, ownVersion } from "./packages.ts";
import {
  checkFolder,
  checkSeal,
  claimFolder,
  FILE_MODE,
  FOLDER_MODE,
  readTrusted,
  sealOf,
  type Trust,
} from "./trust.ts";

/** A cached derivation: enough to serve the module without the compiler. */
export interface CachedModule {
  /** If it is not `functions`, the module must be imported to get its server. */
  readonly form: Derivation["form"];
  readonly manifest: Manifest;
  readonly diagnostics: readonly Diagnostic[];
  /** The files of the author, for watching. */
  readonly files: readonly string[];
  /** Absolute path of the JavaScript to import. */
  readonly entry: string;
  /** The emitted files that were checked, by URL. Present if others could replace the files before Node imports them. */
  readonly texts?: EmissionData;
}

/** The place of a module's cache. */
export interface CacheLocation {
  readonly project: string;
  readonly module: string;
  readonly folder: string;
}

const ROOT = ".proffer";
const FILE = "manifest.json";
/** A process that started before a change may still import files that were emitted for the older version. */
const MAX_EMISSIONS = 3;

export function locateCache(module: string): CacheLocation {
  const project = findProject(module);
  const id = digestOf(relative(project, module)).slice(0, 8);
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
  const stored = find(location, trust);
  if (stored === undefined) return undefined;
  const { change, refreshed } = compareFingerprint(project, stored.fingerprint);
  if (change !== undefined) return undefined;
  const root = join(folder, stored.folder);
  const files = readEmitted(root, stored.emitted, trust);
  if (refreshed !== undefined) {
    refresh(location, { ...stored, fingerprint: { ...stored.fingerprint, inputs: refreshed } }, trust);
  }
  const { form, manifest } = stored;
  const diagnostics = stored.diagnostics.map((each) => ({ ...each, file: resolve(project, each.file) }));
  const sources = stored.files.map((file) => resolve(project, file));
  const cached = { form, manifest, diagnostics, files: sources, entry: join(root, stored.entry) };
  return mustPin(project, stored.emitted, trust) ? { ...cached, texts: textsAt(root, files) } : cached;
}

/** Reports whether the cache of a module is up to date. @throws as `readCache` does. */
export function isCurrent(location: CacheLocation, trust: Trust): boolean {
  const stored = find(location, trust);
  return stored !== undefined && compareFingerprint(location.project, stored.fingerprint).change === undefined;
}

/** Returns a random path for the next folder of emitted files, so that concurrent processes never share one. */
export function newEmissionFolder({ folder }: CacheLocation): string {
  return join(folder, randomBytes(6).toString("hex"));
}

/**
 * Creates the folder of a module's cache, which only the user may write.
 * @throws {UntrustedError} if the folder exists and is not the user's. @throws if the project is not writable.
 */
export function claimCache({ project, folder }: CacheLocation, trust: Trust): void {
  claimCacheRoot(project, trust);
  claimFolder(folder, trust);
}

/** Creates the folder that contains the caches of a project, and returns its path. @throws as `claimCache` does. */
export function claimCacheRoot(project: string, trust: Trust): string {
  const root = cacheRoot({ project });
  claimFolder(root, trust);
  try {
    // Never through a symbolic link that was put there.
    writeFileSync(join(root, ".gitignore"), "*\n", { flag: "wx", mode: FILE_MODE });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  return root;
}

/**
 * Writes a derivation and the files that were emitted for `root`.
 * @param recorder - observed the derivation.
 * @throws {UntrustedError} if the cache is not the user's. @throws if the project is not writable.
 */
export function writeCache(
  location: CacheLocation,
  derivation: Derivation,
  emission: Emission,
  root: string,
  recorder: InputRecorder,
  trust: Trust,
): CachedModule {
  const { project, module, folder } = location;
  const { form, diagnostics, files } = derivation;
  const placed = atSource(emission);
  const inputs = recorder.inputsOf(project, module);
  const isPlaced = placed.files.some(({ text }, index) => text !== emission.files[index]?.text);
  const stored: Stored = {
    format: FORMAT,
    fingerprint: { maker: maker(), ...(isPlaced && { place: project }), inputs },
    form,
    manifest: toManifest(derivation),
    diagnostics: diagnostics.map((each) => ({ ...each, file: toRelative(project, each.file) })),
    files: files.map((file) => toRelative(project, file)),
    folder: basename(root),
    entry: placed.entry,
    emitted: Object.fromEntries(placed.files.map(({ path, text }) => [path, digestOf(text)])),
  };
  const write = writeStored(stored, module, trust);
  claimCache(location, trust);
  // Fails if the folder exists.
  mkdirSync(root, { mode: FOLDER_MODE });
  writeEmission(root, placed, { folder: FOLDER_MODE, file: FILE_MODE });
  // Emitted files are ES modules, even if the project's package.json says otherwise.
  writeFileSync(join(root, "package.json"), '{ "type": "module" }\n', { mode: FILE_MODE });
  write(join(folder, FILE));
  removeOldEmissions(folder);
  const cached = { form, manifest: stored.manifest, diagnostics, files, entry: join(root, placed.entry) };
  return mustPin(project, stored.emitted, trust) ? { ...cached, texts: textsAt(root, placed.files) } : cached;
}

/** Returns the entry of a module, whether or not it is up to date. */
function find({ project, module, folder }: CacheLocation, trust: Trust): Stored | undefined {
  try {
    checkFolder(cacheRoot({ project }), trust);
    checkFolder(folder, trust);
    return readStored(join(folder, FILE), module, trust);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes new stamps. A cache of another user, for example in an image, stays as it is. */
function refresh({ module, folder }: CacheLocation, stored: Stored, trust: Trust): void {
  try {
    writeStored(stored, module, trust)(join(folder, FILE));
  } catch {
    // The next start compares the contents again.
  }
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

/** The entry of a module in the cache. Its files, also those of diagnostics, are relative to the project. */
interface Stored extends Omit<CachedModule, "texts"> {
  readonly format: typeof FORMAT;
  readonly fingerprint: Fingerprint;
  /** The name of the folder with the JavaScript; `entry` is relative to it. */
  readonly folder: string;
  /** Digests of the emitted files, by path. */
  readonly emitted: { readonly [path: string]: string };
}

/** Changes with the shape of an entry. */
const FORMAT = 2;

/** The digest covers the serialized text, so that validating the cache does not serialize the parsed value again. */
const ENVELOPE = /^\{"digest":"([0-9a-f]+)","stored":(.*)\}$/s;

/**
 * Reads the entry of a module.
 * @throws {UntrustedError} if somebody else could have written it. @throws if it cannot be read or is damaged.
 */
function readStored(file: string, module: string, trust: Trust): Stored {
  const [, seal, text] = ENVELOPE.exec(readTrusted(file, trust).toString("utf8")) ?? [];
  if (seal === undefined || text === undefined) throw new Error(`${file} is damaged`);
  checkSeal(seal, module, text, trust);
  const stored: Stored = JSON.parse(text);
  if (stored.format !== FORMAT) throw new Error(`${file} was written by another version of Proffer`);
  return stored;
}

/**
 * Serializes and seals an entry. Returns a function that writes it atomically: concurrent readers see the old file or the
 * new one, never a part of it.
 * @throws {UntrustedError} if there is no key to sign it.
 */
function writeStored(stored: Stored, module: string, trust: Trust): (file: string) => void {
  const text = JSON.stringify(stored);
  const seal = sealOf(module, text, trust);
  return (file) => {
    const temporary = `${file}.${randomBytes(6).toString("hex")}`;
    try {
      writeFileSync(temporary, `{"digest":"${seal}","stored":${text}}`, { flag: "wx", mode: FILE_MODE });
      renameSync(temporary, file);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  };
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Everything that a cached derivation depends on. */
interface Fingerprint {
  /** The versions of Proffer and the compiler. */
  readonly maker: string;
  /** The project's folder, if the emitted code contains it; otherwise the project can be moved. */
  readonly place?: string;
  readonly inputs: Inputs;
}

/** Compares a fingerprint with the current state. */
export function compareFingerprint(project: string, { maker: known, place, inputs }: Fingerprint): Comparison {
  if (known !== maker()) return { change: "Proffer changed" };
  if (place !== undefined && place !== project) return { change: `the project was moved from ${place}` };
  return compareInputs(project, inputs);
}

/** Identifies this build of the CLI. The modification time invalidates caches while Proffer is being developed. */
function maker(): string {
  const { mtimeMs } = statSync(fileURLToPath(import.meta.url));
  return `${ownVersion()} ${mtimeMs} typescript ${findCompiler().version}`;
}
