import { spawnSync } from "node:child_process";
import { createHash, type Hash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { claimFolder, currentTrust, PRIVATE_MODE } from "../modules/trust.ts";
import { CommandError } from "../terminal/command-error.ts";
import { npmFailure, runNpm } from "../terminal/npm.ts";
import { currentShell, homeFolder } from "../terminal/shell.ts";

/** A package of npm, exactly. */
export interface Pin {
  readonly name: string;
  readonly version: string;
  /** Of the file in the registry, as npm writes it. */
  readonly integrity: string;
  /** Of the files in it: SHA-256, as `treeDigest` computes it. */
  readonly tree: string;
}

/** The folder of all programs. Only its user may read it. @throws {UntrustedError} if somebody else could have written it. */
function cacheFolder(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = currentShell().env;
  const root = join(XDG_CACHE_HOME || LOCALAPPDATA || join(homeFolder(), ".cache"), "proffer");
  const folder = join(root, "programs");
  mkdirSync(dirname(root), { recursive: true });
  for (const each of [root, folder]) claimFolder(each, currentTrust(), PRIVATE_MODE);
  return folder;
}

function folderOf({ name, version }: Pin): string {
  return join(cacheFolder(), `${name.replace("/", "+")}@${version}`);
}

export function isCached(pin: Pin): boolean {
  return existsSync(folderOf(pin));
}

/** Returns the folder of a program that was downloaded before. @throws {CommandError} if a file of it was changed. */
export function checkCached(pin: Pin, executable: string): string {
  const folder = folderOf(pin);
  claimFolder(folder, currentTrust(), PRIVATE_MODE);
  const found = treeDigest(join(folder, "package"));
  if (found !== pin.tree) {
    throw new CommandError(
      `${folder} was changed since it was downloaded, and is not started. Delete it; the next run downloads it again.`,
    );
  }
  chmodSync(join(folder, "package", executable), 0o700);
  return join(folder, "package");
}

/**
 * Downloads a program with npm, as configured by the user, compares it with its digests, and unpacks it. No script of it runs.
 * @throws {CommandError} if it cannot be had, or is not what was pinned.
 */
export function download(pin: Pin): void {
  const { name, version, integrity, tree } = pin;
  const place = mkdtempSync(join(cacheFolder(), "new-"));
  try {
    const wanted = `${name}@${version}`;
    const { isDone, errors } = runNpm(
      ["pack", wanted, "--ignore-scripts", "--silent", "--pack-destination", place],
      place,
      "kept",
    );
    if (!isDone) throw npmFailure(`${wanted} could not be downloaded.`, errors);
    const file = join(place, readdirSync(place)[0] ?? "");
    if (`sha512-${digestFile(file, "sha512").digest("base64")}` !== integrity)
      throw new CommandError(`The registry has another ${wanted} than this release knows.`);
    const unpacked = join(place, "unpacked");
    mkdirSync(unpacked, { mode: PRIVATE_MODE });
    const { status, stderr } = spawnSync("tar", ["-xzf", file, "-C", unpacked, "--no-same-owner"], {
      encoding: "utf8",
    });
    if (status !== 0 || treeDigest(join(unpacked, "package")) !== tree)
      throw new CommandError(`${wanted} could not be unpacked: ${stderr || "a file differs"}`);
    try {
      renameSync(unpacked, folderOf(pin));
    } catch (error) {
      // Another run was faster.
      if (!isCached(pin)) throw error;
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** The digest of the names and contents of all files in a folder. */
export function treeDigest(folder: string): string {
  const tree = createHash("sha256");
  const visit = (path: string, name: string) => {
    const stats = lstatSync(path);
    if (stats.isDirectory()) {
      for (const each of readdirSync(path).sort()) visit(join(path, each), name === "" ? each : `${name}/${each}`);
    } else {
      // A link would lead out of the folder.
      const content = stats.isFile() ? digestFile(path, "sha256").digest("hex") : "no file";
      tree.update(`${name}\0${content}\n`);
    }
  };
  visit(folder, "");
  return tree.digest("hex");
}

/** Reads a file in parts: some have half a gigabyte. */
function digestFile(path: string, algorithm: string): Hash {
  const hash = createHash(algorithm);
  const buffer = Buffer.allocUnsafe(4 * 1024 * 1024);
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    for (let size = readSync(file, buffer); size > 0; size = readSync(file, buffer))
      hash.update(buffer.subarray(0, size));
  } finally {
    closeSync(file);
  }
  return hash;
}
