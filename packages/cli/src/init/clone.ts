import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findProject } from "../modules/module-file.ts";
import { ownVersion } from "../modules/packages.ts";
import { CommandError } from "../terminal/command-error.ts";
import { Text, text } from "../terminal/text.ts";
import { runNpm } from "./run-npm.ts";

/** The folder of a new project for the packed packages. */
const VENDOR = "vendor";

type PackageName = "proffer" | "inspector" | "cli";

/** A clone of the repository that this command runs from. */
export interface Clone {
  /** The file of each package in the new project. */
  readonly files: { readonly [Name in PackageName]: string };
  readonly folders: { readonly [Name in PackageName]: string };
}

/**
 * Finds the clone of the repository that this command runs from. A published package contains no sources, and no other
 * package beside it.
 */
export function findClone(): Clone | undefined {
  const cli = findProject(fileURLToPath(import.meta.url));
  const proffer = resolve(cli, "../proffer");
  const inspector = resolve(cli, "../inspector");
  const hasSources = [cli, proffer, inspector].every((folder) => existsSync(join(folder, "src")));
  if (!hasSources || nameOf(proffer) !== "proffer") return undefined;
  const version = ownVersion();
  return {
    folders: { proffer, inspector, cli },
    files: {
      proffer: `${VENDOR}/proffer-${version}.tgz`,
      inspector: `${VENDOR}/proffer-inspector-${version}.tgz`,
      cli: `${VENDOR}/proffer-cli-${version}.tgz`,
    },
  };
}

/** Packs the packages of a clone into a project, as npm would publish them. @throws {CommandError} if npm fails. */
export function packClone({ folders, files }: Clone, target: string): void {
  const destination = join(target, VENDOR);
  const created = mkdirSync(destination, { recursive: true });
  for (const [name, cwd] of Object.entries(folders)) {
    const { isDone, errors } = runNpm(["pack", "--ignore-scripts"], { cwd, config: { pack_destination: destination } });
    const file = files[name as PackageName];
    if (isDone && existsSync(join(target, file))) continue;
    // The folder may have existed before, with other files in it.
    for (const path of Object.values(files)) rmSync(join(target, path), { force: true });
    if (created !== undefined) rmSync(created, { recursive: true });
    throw new CommandError(text`npm pack failed in ${cwd}. Nothing was written.\n${Text.block(errors)}`);
  }
}

function nameOf(folder: string): unknown {
  const file = join(folder, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).name : undefined;
}
