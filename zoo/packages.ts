import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const zoo = fileURLToPath(new URL(".", import.meta.url));
const stamp = join(zoo, "node_modules/.zoo-stamp");

/** The pinned packages, by name. */
export function readPins(): Record<string, string> {
  return JSON.parse(readFileSync(join(zoo, "package.json"), "utf8")).dependencies;
}

/** Returns the name under which the pins have a package: its own, or that of its types. */
export function pinOf(name: string, pins: Record<string, string>): string | undefined {
  return [name, `@types/${name}`].find((each) => Object.hasOwn(pins, each));
}

/** The names of the case files. */
export function caseFileNames(): string[] {
  return readdirSync(join(zoo, "cases"))
    .map((file) => file.replace(/\.ts$/, ""))
    .sort();
}

export function caseFilePath(name: string): string {
  return join(zoo, "cases", `${name}.ts`);
}

/** The file whose functions follow the advice for those that are refused. */
export function remedyFilePath(name: string): string {
  return join(zoo, "remedies", `${name}.ts`);
}

/** Installs the packages of the lock file, unless an earlier run has. */
export function ensurePackages(npm: (args: string[]) => number, progress: (text: string) => void): void {
  const lock = readFileSync(join(zoo, "package-lock.json"));
  const digest = createHash("sha256").update(lock).digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return;
  progress("installing the packages of zoo/package-lock.json (about 1 GB)");
  const flags = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const status = npm(["install", "--prefix", zoo, ...flags]);
  if (status !== 0) throw new Error(`npm install failed in zoo/ with exit code ${status}; its output is above.`);
  writeFileSync(stamp, digest);
}
