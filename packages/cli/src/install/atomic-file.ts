import { randomUUID } from "node:crypto";
import {
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

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

/** Sets the owner of an earlier file, for a user who runs `sudo`. Returns the mode to set. */
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
