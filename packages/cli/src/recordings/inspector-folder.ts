import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cacheRoot } from "../modules/cache.ts";
import { digestOf } from "../modules/inputs.ts";
import { claimFolder, type Trust, userFolder } from "../modules/trust.ts";

/**
 * Creates the folder of the inspector in a project, `.proffer/inspector`, and returns its path.
 * @throws {UntrustedError} if somebody else could have written the folder. @throws if it is not writable.
 */
export function claimInspectorFolder(project: string, trust: Trust): string {
  const root = cacheRoot({ project });
  const folder = join(root, "inspector");
  claimFolder(root, trust);
  claimFolder(folder, trust);
  try {
    // Never through a symbolic link that was put there.
    writeFileSync(join(root, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return folder;
}

/**
 * Creates the folder of a target without a project among the user's settings, and returns its path. Its name is a digest:
 * an address or a command may hold a secret.
 * @throws {UntrustedError} if somebody else could have written the folder. @throws if it is not writable, or without a home.
 */
export function claimTargetFolder(target: string | readonly string[], trust: Trust): string {
  const root = userFolder();
  if (root === undefined) throw new Error("There is no home folder.");
  const folder = join(root, "inspector");
  const own = join(folder, digestOf(JSON.stringify(target)).slice(0, 16));
  mkdirSync(dirname(root), { recursive: true, mode: 0o700 });
  for (const each of [root, folder, own]) claimFolder(each, trust);
  return own;
}
