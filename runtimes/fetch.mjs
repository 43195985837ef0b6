import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npm, root } from "../scripts/npm.mjs";
import { progress } from "../scripts/terminal.mjs";

/** Beside the packages of the project, but none of them: `npm install` leaves it alone. */
const CACHE = join(root, "node_modules/.cache/proffer-runtimes");

/**
 * Installs a run-time from npm, unless an earlier run has, and finds its program and version.
 * @param fresh - install the newest version again
 * @returns the run-time with `program` and `version`, or with `missing`, the reason
 */
export function fetchRuntime(runtime, fresh) {
  const folder = join(CACHE, runtime.name);
  const link = join(folder, "node_modules/.bin", runtime.binary);
  if (fresh || !existsSync(link)) {
    progress(`fetching ${runtime.package} from npm`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    const flags = ["--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error"];
    const status = npm(["install", ...flags, runtime.package]);
    if (status !== 0 || !existsSync(link)) {
      rmSync(folder, { recursive: true, force: true });
      return { ...runtime, missing: `npm install ${runtime.package} failed with exit code ${status}` };
    }
  }
  // The program itself: a launcher could not be stopped together with the program.
  const program = realpathSync(link);
  const { status, stdout, error } = spawnSync(program, ["--version"], { encoding: "utf8" });
  if (status !== 0) return { ...runtime, missing: `${program} does not start here: ${error?.message ?? status}` };
  const version = /\d{1,4}([.-]\d+)+/.exec(stdout)?.[0] ?? stdout.trim();
  return { ...runtime, program, version };
}
