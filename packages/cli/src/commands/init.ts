import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Clone, findClone, packClone } from "../init/clone.ts";
import { type PackageVersions, projectFiles } from "../init/project-files.ts";
import { runNpm } from "../init/run-npm.ts";
import { ownVersion } from "../modules/packages.ts";
import { CommandError } from "../terminal/command-error.ts";
import { currentShell, fromHere, quoteForShell } from "../terminal/shell.ts";
import { print, say } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";

/**
 * Creates a project and installs its packages. In a clone of the repository, the project gets the packages of the clone.
 * @throws {CommandError} if one of its files exists.
 */
export async function init(folder: string, { install }: { readonly install: boolean }): Promise<void> {
  const target = fromHere(folder);
  const clone = findClone();
  const files = Object.entries(projectFiles(toPackageName(basename(target)), toVersions(clone)));
  const written = [...files.map(([path]) => path), ...(clone === undefined ? [] : Object.values(clone.files))];
  const taken = written.filter((path) => existsSync(join(target, path)));
  if (taken.length > 0) {
    throw new CommandError(`${folder} already contains ${taken.join(", ")}. Nothing was written. Choose a new folder.`);
  }
  if (clone !== undefined) packClone(clone, target);
  for (const [path, text] of files) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
  say(text`Wrote ${written.join(", ")}.`);
  if (clone !== undefined) say(text`The project uses this clone's packages, packed in ${dirname(clone.files.cli)}.`);
  const isInstalled = install && installPackages(target);
  const steps = [
    ...(target === currentShell().cwd ? [] : [`cd ${quoteForShell(folder)}`]),
    ...(isInstalled ? [] : ["npm install"]),
    "npm test",
    "npx proffer dev tools.ts --http",
    "npx proffer install tools.ts --client claude-code",
  ];
  print(
    Text.join(
      steps.map((step) => text`${step}`),
      "\n",
    ),
  );
}

/** The versions of the packages for package.json. */
function toVersions(clone: Clone | undefined): PackageVersions {
  if (clone === undefined) return { proffer: `^${ownVersion()}`, cli: `^${ownVersion()}` };
  const { proffer, inspector, cli } = clone.files;
  return { proffer: `file:${proffer}`, inspector: `file:${inspector}`, cli: `file:${cli}` };
}

function installPackages(target: string): boolean {
  say(text`Installing packages. To skip this step, use --no-install.`);
  const { isDone } = runNpm(["install", "--no-audit", "--no-fund", "--prefer-offline"], { cwd: target, isShown: true });
  if (!isDone)
    say(text`npm install failed; see its output above. The project files are complete: run npm install again.`);
  return isDone;
}

function toPackageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|[._-]+$/g, "");
  return name === "" ? "my-server" : name;
}
