import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { CommandError } from "../terminal/command-error.ts";

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
  work: (isHeld: () => boolean) => Value,
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
    return work(isHeld);
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
  if (text === undefined || !isStale(lock, text, maxAge)) return text === undefined;
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
