import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import type { Manifest } from "proffer/derived";
import type { Derivation, Diagnostic, Emission } from "../derive/index.ts";
import { atSource, writeEmission } from "./emission.ts";
import { digestFile, digestText, type Fingerprint, findChange, takeFingerprint } from "./fingerprint.ts";
import { findProject } from "./module-file.ts";
import { toManifest } from "./to-manifest.ts";

/** What is kept of a derivation: enough to serve the module without a compiler. */
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
  /** The folder with the JavaScript, and in it the path of the entry. */
  readonly folder: string;
  readonly entry: string;
  /** Digests of the emitted files, by path. */
  readonly emitted: { readonly [path: string]: string };
}

/** Where the derivation of one module is kept. */
export interface CacheLocation {
  readonly project: string;
  readonly module: string;
  readonly folder: string;
}

const ROOT = ".proffer";
const FILE = "manifest.json";
/** The digest is that of the text, so that a start need not serialise what it has just parsed. */
const ENVELOPE = /^\{"digest":"([0-9a-f]+)","stored":(.*)\}$/s;
/** A process that was started before a change may still have to import from what was emitted for it. */
const KEPT_EMISSIONS = 3;

export function locateCache(module: string): CacheLocation {
  const project = findProject(module);
  const id = digestText(relative(project, module)).slice(0, 8);
  return { project, module, folder: join(project, ROOT, `${basename(module)}-${id}`) };
}

/**
 * What was kept of a module; undefined if there is nothing or the module has changed since.
 * @throws if what is there cannot be read or is damaged.
 */
export function readCache({ project, folder }: CacheLocation): CachedModule | undefined {
  const stored = readStored(join(folder, FILE));
  if (stored === undefined || findChange(project, stored.fingerprint) !== undefined) return undefined;
  const root = join(folder, stored.folder);
  for (const [path, digest] of Object.entries(stored.emitted)) {
    if (digestFile(join(root, path)) !== digest) throw new Error(`${join(root, path)} was altered`);
  }
  const { form, manifest, diagnostics } = stored;
  return { form, manifest, diagnostics, entry: join(root, stored.entry) };
}

/** A name for the next folder of emitted files. Processes that start at the same time do not share one. */
export function newEmissionFolder({ folder }: CacheLocation): string {
  return join(folder, randomBytes(6).toString("hex"));
}

/** Keeps a derivation and what was emitted for `root`. @throws if the project cannot be written to. */
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
  // Emitted files are modules, whatever the project says about its own.
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
  if (stored === undefined || digestText(stored) !== digest) throw new Error(`${file} was altered`);
  return JSON.parse(stored);
}

/** Whoever reads meanwhile sees the old file or the new one, never a part of it. */
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
  for (const { path } of emissions.slice(KEPT_EMISSIONS)) rmSync(path, { recursive: true, force: true });
}
