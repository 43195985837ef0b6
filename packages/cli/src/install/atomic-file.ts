import { randomUUID } from "node:crypto";
import {
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { CommandError } from "../terminal/command-error.ts";

/**
 * Replaces a file, or creates it. After a crash the file has the old or the new content: the new content is on the disk
 * before the file gets its name. Mode and owner of an existing file are kept.
 * @param confirm - is called last; if it returns false, nothing is written.
 */
export function replaceFile(file: string, text: string, before: Stats | undefined, confirm: () => boolean): boolean {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    // Such files contain API keys of other servers: let only the owner read a new file.
    const descriptor = openSync(temporary, "wx", 0o600);
    try {
      writeFileSync(descriptor, text);
      if (before !== undefined) fchmodSync(descriptor, keepOwner(temporary, before));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (!confirm()) return false;
    renameSync(temporary, file);
    syncFolder(dirname(file));
    return true;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Sets the owner of an earlier file, for a user with `sudo`. Returns the mode to set. */
function keepOwner(path: string, { uid, gid, mode }: Stats): number {
  try {
    if (process.platform !== "win32") chownSync(path, uid, gid);
    return mode & 0o777;
  } catch {
    // Another group must not get the permissions of the earlier one.
    return mode & 0o700;
  }
}

/** Writes the new name to the disk. Windows cannot open a folder. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Copies a file to a backup beside it. A backup of the same second is kept: the name gets a number. */
export function backUp(file: string): string {
  const base = `${file}.${new Date().toISOString().replace(/[-:]|\.\d+/g, "")}`;
  for (let number = 1; ; number++) {
    const backup = number === 1 ? `${base}.bak` : `${base}-${number}.bak`;
    try {
      copyFileSync(file, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

export interface LockTimes {
  /** How long to wait for another process, in milliseconds. */
  readonly patience: number;
  /** The age in milliseconds from which a lock is not respected. Locks are held for milliseconds. */
  readonly maxAge: number;
}

const TIMES: LockTimes = { patience: 30_000, maxAge: 20_000 };
const PAUSE = 20;

interface Owner {
  readonly pid: number;
  readonly host: string;
  /** Differs between two locks of one process. */
  readonly token: string;
}

/**
 * Runs `work` while this process holds the lock of a file, `<file>.lock` beside it. `isHeld` is false if another process
 * took the lock over, because this one was suspended for too long; then `work` must not write.
 * @throws {CommandError} if another process does not release the lock.
 */
export async function withLock<Value>(
  file: string,
  work: (isHeld: () => boolean) => Value | Promise<Value>,
  { patience, maxAge }: LockTimes = TIMES,
): Promise<Value> {
  const lock = `${file}.lock`;
  const text = JSON.stringify({ pid: process.pid, host: hostname(), token: randomUUID() } satisfies Owner);
  const end = Date.now() + patience;
  while (!tryCreate(lock, text)) {
    if (removeStale(lock, maxAge)) continue;
    if (Date.now() > end) {
      throw new CommandError(
        `Another process is changing ${file}; its lock is ${lock}. ` +
          "Try again when it has finished. If there is no such process, delete the lock.",
      );
    }
    await wait(PAUSE);
  }
  const isHeld = () => read(lock) === text;
  try {
    return await work(isHeld);
  } finally {
    if (isHeld()) rmSync(lock, { force: true });
  }
}

function tryCreate(lock: string, text: string): boolean {
  try {
    writeFileSync(lock, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Windows reports EPERM while another process deletes the file.
    if (code === "EEXIST" || (code === "EPERM" && process.platform === "win32")) return false;
    throw new CommandError(`The lock ${lock} cannot be written: ${message}`);
  }
}

/** Removes the lock of a process that ended without releasing it. Returns whether to try again at once. */
function removeStale(lock: string, maxAge: number): boolean {
  const text = read(lock);
  // Gone, or not readable: a lock of another user, or no file.
  if (text === undefined) return lstatSync(lock, { throwIfNoEntry: false }) === undefined;
  if (!isStale(lock, text, maxAge)) return false;
  // Another process may have replaced the stale lock meanwhile: take the file away first, then look at it.
  const taken = `${lock}.${randomUUID()}`;
  try {
    renameSync(lock, taken);
    if (read(taken) !== text) linkSync(taken, lock);
  } catch {
    // Another process was faster.
  }
  rmSync(taken, { force: true });
  return true;
}

function isStale(lock: string, text: string, maxAge: number): boolean {
  const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  return age > maxAge || isDead(text);
}

/** Whether the owner was a process of this machine that has ended. */
function isDead(text: string): boolean {
  try {
    const { pid, host }: Owner = JSON.parse(text);
    if (host !== hostname() || !Number.isInteger(pid) || pid <= 0) return false;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
