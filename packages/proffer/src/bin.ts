#!/usr/bin/env node
/**
 * The launcher. The command line itself is in @proffer/cli, which depends on the TypeScript compiler and is installed
 * only for development.
 */
import { existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import * as modules from "node:module";
import { dirname, join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

interface CommandLine {
  run(argv: readonly string[]): Promise<number>;
}

// Node 22 and later can cache compiled code on disk for the next start; Node 20 does not have the function.
(modules as { enableCompileCache?: () => unknown }).enableCompileCache?.();

const NAME = "@proffer/cli";
const thisFile = fileURLToPath(import.meta.url);
const own = modules.createRequire(thisFile);

/** An installed command line. */
interface Found {
  /** Where it is: `…/node_modules/@proffer/cli`. */
  readonly folder: string;
  /** Why its code must not run; undefined if it may. */
  readonly problem: string | undefined;
  /** Returns the module to run. */
  resolve(): string;
}

/**
 * Finds the command line of the project, or else the one beside this package, which may be a global installation. Node
 * itself looks in every folder above, and others may write some of them on a shared machine, such as /tmp.
 */
function findCommandLine(): { readonly path: string | undefined; readonly note: string } {
  const owners = trustedOwners();
  const current = process.cwd();
  const found = [
    find(modules.createRequire(join(current, "package.json")), findProject(current), owners),
    // Whoever owns this file runs code here already.
    find(own, findBase(), owners && [...owners, lstatSync(thisFile).uid]),
  ];
  const chosen = found.find((each) => each !== undefined && each.problem === undefined);
  // One folder can be refused and chosen: in a container, this file and the project may belong to the same other user.
  const refused = found.find((each) => each?.problem !== undefined && each.folder !== chosen?.folder);
  const instead = chosen ? ` Using ${chosen.folder} instead.` : "";
  const note = refused ? `${refused.folder} is not used: ${refused.problem}.${instead}\n` : "";
  return { path: chosen?.resolve(), note };
}

function find(from: NodeJS.Require, project: string | undefined, owners?: readonly number[]): Found | undefined {
  const resolve = () => from.resolve(NAME);
  // Plug'n'Play looks in no folders, but in a file of the project whose code ran before this one.
  if (process.versions.pnp !== undefined) {
    try {
      return { folder: dirname(resolve()), problem: undefined, resolve };
    } catch {
      return undefined;
    }
  }
  const folders = from.resolve.paths(NAME)?.map((each) => join(each, NAME));
  const folder = folders?.find((each) => existsSync(join(each, "package.json")));
  return folder === undefined ? undefined : { folder, problem: findProblem(folder, project, owners), resolve };
}

function findProblem(folder: string, project: string | undefined, owners?: readonly number[]): string | undefined {
  if (project === undefined) return "neither the current folder nor one above has a package.json";
  if (!isInside(project, folder)) return `it is outside of the project ${project}`;
  // Like Git in the checkout of another user. Whoever owns one of the folders or links can let it lead to other code.
  const real = realpathSync(folder);
  const paths = [dirname(dirname(folder)), dirname(folder), folder, real, join(real, "package.json")];
  const foreign = paths.find((each) => owners?.includes(lstatSync(each).uid) === false);
  return foreign && `${foreign} belongs to another user (id ${lstatSync(foreign).uid})`;
}

/** The user and root, and for root the user that called sudo; undefined where files have no owners (Windows). */
function trustedOwners(): number[] | undefined {
  const user = process.geteuid?.();
  if (user === undefined) return undefined;
  return user === 0 ? [0, Number(process.env.SUDO_UID ?? 0)] : [user, 0];
}

/** The folder around the outermost node_modules with this file; in a clone of the repository, the repository. */
function findBase(): string | undefined {
  const [base, installed] = thisFile.split(`${sep}node_modules${sep}`);
  return installed === undefined ? findProject(dirname(thisFile)) : base;
}

/** The folder of the nearest package.json, or that of its workspaces. */
function findProject(start: string): string | undefined {
  let project: string | undefined;
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) project ??= folder;
    if (project !== undefined && hasWorkspaces(folder)) return folder;
    if (folder === dirname(folder)) return project;
  }
}

function hasWorkspaces(folder: string): boolean {
  if (existsSync(join(folder, "pnpm-workspace.yaml"))) return true;
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).workspaces !== undefined;
  } catch {
    return false;
  }
}

function isInside(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether this Node lacks functions that the command line imports; it would end with a SyntaxError that names one. */
function isOutdated(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major < 20 || (major === 20 && minor < 19);
}

async function main(argv: readonly string[]): Promise<number> {
  if (isOutdated()) {
    await put(
      process.stderr,
      `Proffer needs Node 20.19 or later, and this is ${process.version} (${process.execPath}). Install a newer one from https://nodejs.org, or with your version manager.\n`,
    );
    return 1;
  }
  if (argv.length === 1 && argv[0] === "--version") {
    await put(process.stdout, `${own("../package.json").version}\n`);
    return 0;
  }
  const { path, note } = findCommandLine();
  if (note !== "") await put(process.stderr, note);
  if (path === undefined) {
    await put(
      process.stderr,
      "The proffer command requires the package @proffer/cli, which is not installed. Install it:\n\n" +
        "  npm install --save-dev @proffer/cli\n",
    );
    return 1;
  }
  const { run } = (await import(pathToFileURL(path).href)) as CommandLine;
  return run(argv);
}

/** Writes a text. A reader that is gone does not matter: the callback gets the error, and so does the listener. */
function put(stream: NodeJS.WriteStream, text: string): Promise<void> {
  stream.on("error", () => {});
  return new Promise((resolve) => stream.write(text, () => resolve()));
}

// Exits explicitly: timers and sockets of the served module must not keep the process alive after the client left.
process.exit(await main(process.argv.slice(2)));
