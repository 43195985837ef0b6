import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** The folders of an algocline installation. */
export interface Places {
  readonly home: string;
  readonly logs: string;
  /** The project whose `alc.local.toml` may override installed packages. */
  readonly project: string | undefined;
}

type Environment = { readonly [name: string]: string | undefined };

/** Finds an installation as algocline does: by `ALC_HOME`, `ALC_LOG_DIR` and `ALC_PROJECT_ROOT`, or their defaults. */
export function findPlaces(env: Environment, cwd: string): Places {
  const home = resolve(cwd, env.ALC_HOME || join(homedir(), ".algocline"));
  return {
    home,
    logs: resolve(cwd, env.ALC_LOG_DIR || join(home, "logs")),
    project: env.ALC_PROJECT_ROOT && isFolder(env.ALC_PROJECT_ROOT) ? env.ALC_PROJECT_ROOT : projectAbove(cwd),
  };
}

/** The nearest folder, from this one upwards, that contains an `alc.toml`. */
function projectAbove(folder: string): string | undefined {
  if (existsSync(join(folder, "alc.toml"))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : projectAbove(parent);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
