import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Failure, progress } from "./terminal.mjs";

/** The root folder of the workspace. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** Installs the packages of the lock file unless all are installed. */
export function ensureInstalled() {
  if (isInstalled()) return;
  progress("installing the packages of package-lock.json");
  // Not `npm ci`: it rejects a lock file that was written with a registry that lacks the packages of other platforms.
  // --no-save leaves the lock file unchanged; --include=dev installs the tools even if NODE_ENV is production.
  const flags = ["--no-save", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund"];
  // Errors only: the browser of the tests names a newer Node than it needs, which looks like a fault of this Node.
  const status = npm(["install", ...flags, "--loglevel=error"]);
  if (status === 0) return;
  throw new Failure(
    `npm install failed with exit code ${status}; its output is above.\n` +
      "  The first installation needs the npm registry (`npm ping` tells whether it answers) or a filled npm cache.",
  );
}

/** Installs the packages of a folder that has its own lock file, such as `bench`, unless an earlier call has. */
export function ensureInstalledIn(folder) {
  const lock = readFileSync(join(root, folder, "package-lock.json"));
  const digest = createHash("sha256").update(lock).digest("hex");
  const stamp = join(root, folder, "node_modules/.stamp");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return;
  progress(`installing the packages of ${folder}/package-lock.json`);
  const flags = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const status = npm(["install", "--prefix", join(root, folder), ...flags]);
  if (status !== 0)
    throw new Failure(`npm install failed in ${folder}/ with exit code ${status}; its output is above.`);
  writeFileSync(stamp, digest);
}

/** Runs npm, by default with its output on stderr, and returns its exit code. */
export function npm(args, output = 2) {
  // Under `npm start` and `npm test`, this is the npm that the user runs.
  const cli = process.env.npm_execpath;
  const options = { cwd: root, stdio: ["ignore", output, output] };
  const { status, error } = cli?.endsWith("npm-cli.js")
    ? spawnSync(process.execPath, [cli, ...args], options)
    : spawnSync("npm", args, { ...options, shell: process.platform === "win32" });
  if (error) throw new Failure(`npm could not be started: ${error.message}`);
  return status;
}

/** npm records the installed packages in a hidden lock file. Packages that it skips on this platform are optional. */
function isInstalled() {
  const record = join(root, "node_modules/.package-lock.json");
  if (!existsSync(record)) return false;
  const installed = readPackages(record);
  const wanted = Object.entries(readPackages(join(root, "package-lock.json")));
  return wanted.every(([path, { optional, version, integrity }]) => {
    if (path === "" || optional) return true;
    const found = installed[path];
    return found !== undefined && found.version === version && found.integrity === integrity;
  });
}

function readPackages(file) {
  return JSON.parse(readFileSync(file, "utf8")).packages;
}
