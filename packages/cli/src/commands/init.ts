import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { projectFiles } from "../init/project-files.ts";
import { CommandError } from "../terminal/command-error.ts";
import { quoteForShell } from "../terminal/shell-quote.ts";
import { print, say } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";

/** Creates a project and installs its packages. @throws {CommandError} if one of its files exists. */
export async function init(folder: string, { install }: { readonly install: boolean }): Promise<void> {
  const target = resolve(folder);
  const files = Object.entries(projectFiles(toPackageName(basename(target))));
  const taken = files.map(([path]) => path).filter((path) => existsSync(join(target, path)));
  if (taken.length > 0) {
    throw new CommandError(`${folder} already contains ${taken.join(", ")}. Nothing was written. Choose a new folder.`);
  }
  for (const [path, text] of files) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
  say(text`Wrote ${files.map(([path]) => path).join(", ")}.`);
  const isInstalled = install && installPackages(target);
  const steps = [
    ...(target === process.cwd() ? [] : [`cd ${quoteForShell(folder)}`]),
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

function installPackages(target: string): boolean {
  say(text`Installing packages. To skip this step, use --no-install.`);
  // Windows needs a shell for npm, which would look for it in the new folder first; the arguments are constant.
  const env = { ...process.env, NoDefaultCurrentDirectoryInExePath: "1" };
  const options = { cwd: target, env, stdio: ["ignore", 2, 2] as const, shell: process.platform === "win32" };
  const { status } = spawnSync("npm", ["install", "--no-audit", "--no-fund"], {
    ...options,
    stdio: [...options.stdio],
  });
  if (status !== 0)
    say(text`npm install failed; see its output above. The project files are complete: run npm install again.`);
  return status === 0;
}

function toPackageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|[._-]+$/g, "");
  return name === "" ? "my-server" : name;
}
