import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** Where the files of an algocline installation are. */
export interface Places {
  readonly home: string;
  readonly logs: string;
  /** The project whose `alc.local.toml` may put its own packages in front of those of the home. */
  readonly project: string | undefined;
}

type Environment = { readonly [name: string]: string | undefined };

/** Finds an installation as algocline does: by `ALC_HOME`, `ALC_LOG_DIR` and `ALC_PROJECT_ROOT`, or where they usually are. */
export function findPlaces(env: Environment, cwd: string): Places {
  const home = resolve(cwd, env.ALC_HOME || join(homedir(), ".algocline"));
  return {
    home,
    logs: resolve(cwd, env.ALC_LOG_DIR || join(home, "logs")),
    project: env.ALC_PROJECT_ROOT && isFolder(env.ALC_PROJECT_ROOT) ? env.ALC_PROJECT_ROOT : projectAbove(cwd),
  };
}

/** The nearest folder, upwards, that has an `alc.toml`. */
function projectAbove(folder: string): string | undefined {
  if (existsSync(join(folder, "alc.toml"))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : projectAbove(parent);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
