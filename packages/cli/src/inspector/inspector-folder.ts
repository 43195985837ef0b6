import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheRoot } from "../modules/cache.ts";
import { claimFolder, type Trust } from "../modules/trust.ts";

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
