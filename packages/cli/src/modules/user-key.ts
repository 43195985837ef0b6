import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { currentShell, homeFolder } from "../terminal/shell.ts";

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
