import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { currentShell, homeFolder } from "../terminal/shell.ts";

/**
 * Decides which users could have written a file of the cache. Whether the file is up to date is another question:
 * inputs.ts.
 */
export interface Trust {
  /** The users whose files are trusted, by id; undefined where files have no user id (Windows). */
  readonly owners: readonly number[] | undefined;
  /** Returns the user's key, which signs the cache where there are no owners; undefined without a home folder. */
  readonly key: () => Uint8Array | undefined;
}

/** Thrown for a cache that somebody else could have written. */
export class UntrustedError extends Error {
  override readonly name = "UntrustedError";
  readonly remedy: string;

  constructor(reason: string, remedy = "Delete the folder; Proffer creates it again.") {
    super(reason);
    this.remedy = remedy;
  }
}

/** Folders and files of the cache are never writable by others, whatever the umask allows. */
export const FOLDER_MODE = 0o755;
export const FILE_MODE = 0o644;
/** A folder whose files only the user may know of. */
export const PRIVATE_MODE = 0o700;

const WRITABLE_BY_GROUP = 0o020;
const WRITABLE_BY_ALL = 0o002;
const WRITABLE_BY_OTHERS = WRITABLE_BY_GROUP | WRITABLE_BY_ALL;
/** Only the owner of a file, the owner of its folder and root may replace it: the mode of /tmp. */
const STICKY = 0o1000;
// Windows has neither flag. A pipe in place of a file must not block the process.
const { O_RDONLY, O_NOFOLLOW = 0, O_DIRECTORY = 0, O_NONBLOCK = 0 } = constants;

/**
 * Returns the rules for this process. Its user is trusted, and root, which may write everything anyway: a container
 * image may be built as root and run as another user. As for Git, root also trusts the user that called `sudo`.
 */
export function currentTrust(): Trust {
  const user = process.geteuid?.();
  if (user === undefined) return { owners: undefined, key: userKey };
  const sudo = user === 0 ? Number.parseInt(process.env.SUDO_UID ?? "", 10) : Number.NaN;
  return { owners: Number.isNaN(sudo) ? [user, 0] : [user, 0, sudo], key: userKey };
}

/** @throws {UntrustedError} if the folder is not trusted or a symbolic link. @throws if it does not exist. */
export function checkFolder(path: string, trust: Trust): void {
  checkStats(path, lstatSync(path), trust);
}

/**
 * Reads a file through one descriptor, so that the file that was checked is the file that was read.
 * @throws {UntrustedError} if the file is not trusted. @throws if it cannot be read or is not a plain file.
 */
export function readTrusted(path: string, trust: Trust): Buffer {
  const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error(`${path} is not a file`);
    checkStats(path, stats, trust);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Creates a folder, or takes the permissions beyond `mode` from an existing folder of the user. Nothing may be written into an
 * untrusted folder: somebody else could have put symbolic links there.
 * @throws {UntrustedError} if the folder cannot be trusted.
 */
export function claimFolder(path: string, trust: Trust, mode = FOLDER_MODE): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  if (trust.owners === undefined || lstatSync(path).isSymbolicLink()) {
    checkFolder(path, trust);
    return;
  }
  const folder = openSync(path, O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
  try {
    const { uid, mode: given } = fstatSync(folder);
    const extra = 0o777 & ~mode;
    if (uid === trust.owners[0] && given & extra) fchmodSync(folder, given & 0o7777 & ~extra);
    // Some file systems ignore the change.
    checkStats(path, fstatSync(folder), trust);
  } finally {
    closeSync(folder);
  }
}

/**
 * Reports whether others could replace an entry of this folder, or the folder itself, after it was checked. Then code
 * in it must not be imported by its path.
 */
export function isReplaceable(folder: string, { owners }: Trust): boolean {
  if (owners === undefined) return true;
  return hasForeignParent(folder, owners) || hasForeignParent(realpathSync(folder), owners);
}

function hasForeignParent(folder: string, owners: readonly number[]): boolean {
  for (let path = folder; ; path = dirname(path)) {
    const { uid, gid, mode } = lstatSync(path);
    // A group with the number of the user is the user's own: with such groups, the umask 002 is common.
    const others = gid === owners[0] ? WRITABLE_BY_ALL : WRITABLE_BY_OTHERS;
    // The mode of a link says nothing.
    const isLink = (mode & constants.S_IFMT) === constants.S_IFLNK;
    if (!owners.includes(uid) || (!isLink && mode & others && !(mode & STICKY))) return true;
    if (dirname(path) === path) return false;
  }
}

/**
 * Returns the seal of an entry: where there are owners, a digest that detects damage; elsewhere a signature with the
 * user's key. It covers the place, so that a signed entry of another project is not accepted.
 * @throws {UntrustedError} if there is no key.
 */
export function sealOf(place: string, content: string, { owners, key }: Trust): string {
  if (owners !== undefined) return createHash("sha256").update(content).digest("hex");
  const secret = key();
  if (secret === undefined) {
    throw new UntrustedError("there is no key to sign it", "Give the user a home folder that Proffer can write.");
  }
  return createHmac("sha256", secret).update(`${place}\0`).update(content).digest("hex");
}

/** @throws {UntrustedError} if the signature is not by this user. @throws if the entry is damaged. */
export function checkSeal(seal: string, place: string, content: string, trust: Trust): void {
  const expected = Buffer.from(sealOf(place, content, trust));
  const actual = Buffer.from(seal);
  if (actual.length === expected.length && timingSafeEqual(actual, expected)) return;
  if (trust.owners === undefined) throw new UntrustedError("it was not signed by this user");
  throw new Error("it was modified");
}

function checkStats(path: string, stats: Stats, { owners }: Trust): void {
  if (stats.isSymbolicLink()) throw new UntrustedError(`${path} is a symbolic link`);
  if (owners === undefined) return;
  if (!owners.includes(stats.uid)) throw new UntrustedError(`${path} belongs to another user (id ${stats.uid})`);
  if (stats.mode & WRITABLE_BY_OTHERS) {
    throw new UntrustedError(`${path} is writable by other users`, "If this appears again, delete the folder.");
  }
}

const KEY_BYTES = 32;

/** Returns a secret that only this user can read, and creates it the first time; undefined without a home folder. */
export function userKey(folder = userFolder()): Uint8Array | undefined {
  if (folder === undefined) return undefined;
  const file = join(folder, "cache-key");
  try {
    if (!existsSync(file)) createKey(folder, file);
    const key = readFileSync(file);
    return key.length === KEY_BYTES ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Creates the key with its content: processes that start at the same time use the key of the first one. */
function createKey(folder: string, file: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(temporary, randomBytes(KEY_BYTES), { flag: "wx", mode: 0o600 });
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** The folder of Proffer among the user's settings; undefined without a home folder. */
export function userFolder(): string | undefined {
  try {
    const home = homeFolder();
    if (!existsSync(home)) return undefined;
    return join(currentShell().env.LOCALAPPDATA || join(home, ".config"), "proffer");
  } catch {
    // The user has no entry in the system's list of users, and there is no environment variable.
    return undefined;
  }
}
