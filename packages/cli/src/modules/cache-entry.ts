import { randomBytes } from "node:crypto";
import { renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Manifest } from "proffer/derived";
import type { Derivation, Diagnostic } from "../derive/index.ts";
import { type Comparison, compareInputs, type Inputs } from "./inputs.ts";
import { findCompiler, ownVersion } from "./packages.ts";
import { checkSeal, FILE_MODE, readTrusted, sealOf, type Trust } from "./trust.ts";

/** The entry of a module in the cache. */
export interface Stored {
  readonly format: typeof FORMAT;
  readonly fingerprint: Fingerprint;
  readonly form: Derivation["form"];
  readonly manifest: Manifest;
  /** Files are relative to the project. */
  readonly diagnostics: readonly Diagnostic[];
  /** The files of the author, relative to the project. */
  readonly files: readonly string[];
  /** The name of the folder with the JavaScript; `entry` is relative to it. */
  readonly folder: string;
  readonly entry: string;
  /** Digests of the emitted files, by path. */
  readonly emitted: { readonly [path: string]: string };
}

/** Changes with the shape of an entry. */
export const FORMAT = 2;

/** The digest covers the serialized text, so that validating the cache does not serialize the parsed value again. */
const ENVELOPE = /^\{"digest":"([0-9a-f]+)","stored":(.*)\}$/s;

/**
 * Reads the entry of a module.
 * @throws {UntrustedError} if somebody else could have written it. @throws if it cannot be read or is damaged.
 */
export function readStored(file: string, module: string, trust: Trust): Stored {
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
export function writeStored(stored: Stored, module: string, trust: Trust): (file: string) => void {
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

export function codeOf(error: unknown): string | undefined {
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

/** Returns the fingerprint of a derivation. */
export function createFingerprint(inputs: Inputs, place?: string): Fingerprint {
  return { maker: maker(), ...(place !== undefined && { place }), inputs };
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
