import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { findBuiltFolder, findProject } from "../modules/module-file.ts";
import { currentShell, fromHere } from "../terminal/shell.ts";

/** The command with which a client starts a server. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
}

/**
 * Returns the command that starts a module or a built folder. Clients run in any directory and often without the
 * user's PATH, so all paths are absolute, unless the configuration is shared with others in a project.
 */
export function toLaunch(file: string, shared: boolean, env: Launch["env"]): Launch {
  const built = findBuiltFolder(file);
  if (built !== undefined) {
    const index = join(built, "index.js");
    if (shared) return { command: "node", args: [relativePath(index)], env };
    return { command: process.execPath, args: [index], env };
  }
  if (shared) return { command: "npx", args: ["proffer", "serve", relativePath(fromHere(file))], env };
  const module = fromHere(file);
  return { command: process.execPath, args: [findLauncher(module), "serve", module], env };
}

function relativePath(path: string): string {
  const local = relative(currentShell().cwd, path).replaceAll("\\", "/");
  // A file named --x is not an option.
  return local.startsWith("-") ? `./${local}` : local;
}

/** Finds the `proffer` command that is installed in the project, or else the one beside this package. */
function findLauncher(module: string): string {
  const from = [join(findProject(module), "package.json"), import.meta.url];
  for (const place of from) {
    const file = resolveFrom(place);
    if (file === undefined) continue;
    const { bin } = JSON.parse(readFileSync(file, "utf8"));
    const launcher = join(dirname(file), bin.proffer);
    if (existsSync(launcher)) return launcher;
  }
  throw new Error("The package proffer is not installed. Run: npm install proffer");
}

function resolveFrom(place: string): string | undefined {
  try {
    return createRequire(place).resolve("proffer/package.json");
  } catch {
    return undefined;
  }
}
