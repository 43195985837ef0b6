import { randomUUID } from "node:crypto";
import { chmod, lstat, rename, rm, stat, writeFile } from "node:fs/promises";

const PERMISSIONS = 0o777;

/** Writes a file as a whole. An existing file is replaced by a new one, so a symbolic link in its place is not followed. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const mode = await stat(path).then(
    (stats) => stats.mode & PERMISSIONS,
    () => undefined,
  );
  if (mode === undefined) {
    // Fails if something is there by now.
    await writeFile(path, text, { flag: "wx" });
    return;
  }
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  // The text is written, so a file system without permissions is no reason to fail.
  await chmod(path, mode).catch(() => undefined);
}

/** Moves a file or folder. @throws {Error} if the new place is taken, which `rename` would overwrite. */
export async function move(from: string, to: string): Promise<void> {
  const taken = await lstat(to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
  if (taken !== undefined) throw new Error(`Destination already exists: ${to}`);
  await rename(from, to);
}

const UNITS = ["B", "KB", "MB", "GB", "TB"];

export function sizeText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log(bytes) / Math.log(1024)), UNITS.length - 1);
  return power === 0 ? `${bytes} B` : `${(bytes / 1024 ** power).toFixed(2)} ${UNITS[power]}`;
}
