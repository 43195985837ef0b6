import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findProject } from "../modules/module-file.ts";
import { ownVersion } from "../modules/packages.ts";
import { CommandError } from "../terminal/command-error.ts";
import { npmFailure, runNpm } from "../terminal/npm.ts";
import { currentShell, fromHere, quoteForShell } from "../terminal/shell.ts";
import { printLines, say } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";

/**
 * Creates a project and installs its packages. In a clone of the repository, the project gets the packages of the clone.
 * @throws {CommandError} if one of its files exists.
 */
export async function init(folder: string, { install }: { readonly install: boolean }): Promise<void> {
  const target = fromHere(folder);
  const clone = clonedPackages();
  const published = { proffer: `^${ownVersion()}`, cli: `^${ownVersion()}` };
  const packed = clone && Object.fromEntries(clone.map(({ name, file }) => [name, `file:${file}`]));
  const files = Object.entries(projectFiles(toPackageName(basename(target)), { ...published, ...packed }));
  const written = [...files.map(([path]) => path), ...(clone ?? []).map(({ file }) => file)];
  const taken = written.filter((path) => existsSync(join(target, path)));
  if (taken.length > 0) {
    const remedy = taken.includes("package.json")
      ? `To add Proffer to the project, run: npx proffer add ${folder === "." ? "" : quoteForShell(folder)}`.trimEnd()
      : "Choose a new folder.";
    throw new CommandError(`${folder} already contains ${taken.join(", ")}. Nothing was written. ${remedy}`);
  }
  if (clone !== undefined) packClone(clone, target);
  for (const [path, text] of files) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
  say(text`Wrote ${written.join(", ")}.`);
  if (clone !== undefined) say(text`The project uses this clone's packages, packed in ${VENDOR}.`);
  const isInstalled = install && installPackages(target);
  const steps = [
    ...(target === currentShell().cwd ? [] : [`cd ${quoteForShell(folder)}`]),
    ...(isInstalled ? [] : ["npm install"]),
    "npm test",
    "npx proffer dev tools.ts --http",
    "npx proffer install tools.ts --client claude-code",
  ];
  printLines(steps);
}

function installPackages(target: string): boolean {
  say(text`Installing packages. To skip this step, use --no-install.`);
  const { isDone } = runNpm(["install", "--no-audit", "--no-fund", "--prefer-offline"], target, "shown");
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

/** The folder of a new project for the packed packages. */
const VENDOR = "vendor";

/** A package of the clone of the repository that this command runs from. */
interface ClonedPackage {
  readonly name: "proffer" | "inspector" | "cli";
  readonly folder: string;
  /** Its path in the new project. */
  readonly file: string;
}

/**
 * Finds the packages of the clone of the repository that this command runs from. A published package contains no sources,
 * and no other package beside it.
 */
export function clonedPackages(): readonly ClonedPackage[] | undefined {
  const cli = findProject(fileURLToPath(import.meta.url));
  const toPackage = (name: ClonedPackage["name"], folder: string): ClonedPackage => {
    const base = name === "proffer" ? name : `proffer-${name}`;
    return { name, folder, file: `${VENDOR}/${base}-${ownVersion()}.tgz` };
  };
  const siblings = (["proffer", "inspector"] as const).map((name) => toPackage(name, resolve(cli, "..", name)));
  const clone = [...siblings, toPackage("cli", cli)];
  const hasSources = clone.every(({ folder }) => existsSync(join(folder, "src")));
  return hasSources && nameOf(resolve(cli, "../proffer")) === "proffer" ? clone : undefined;
}

/** Packs the packages of a clone into a project, as npm would publish them. @throws {CommandError} if npm fails. */
export function packClone(clone: readonly ClonedPackage[], target: string): void {
  const destination = join(target, VENDOR);
  const created = mkdirSync(destination, { recursive: true });
  const copy = mkdtempSync(join(tmpdir(), "proffer-clone-"));
  try {
    for (const { name, folder, file } of clone) {
      if (name === "cli") copyWithPeer(folder, copy);
      // A setting of npm by a variable: its value cannot be quoted safely for every shell.
      const { isDone, errors } = runNpm(["pack", "--ignore-scripts"], name === "cli" ? copy : folder, "kept", {
        npm_config_pack_destination: destination,
      });
      if (isDone && existsSync(join(target, file))) continue;
      // The folder may have existed before, with other files in it.
      for (const { file: path } of clone) rmSync(join(target, path), { force: true });
      if (created !== undefined) rmSync(created, { recursive: true });
      throw npmFailure(`npm pack failed in ${folder}. Nothing was written.`, errors);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/**
 * Copies the command line with the inspector as a peer, which the project has. pnpm and yarn would fetch a dependency
 * of a tarball from the registry, where it is not.
 */
function copyWithPeer(folder: string, copy: string): void {
  for (const name of ["dist", "README.md", "LICENSE"])
    cpSync(join(folder, name), join(copy, name), { recursive: true });
  const content = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { "@proffer/inspector": inspector, ...dependencies } = content.dependencies;
  const peerDependencies = { ...content.peerDependencies, "@proffer/inspector": inspector };
  writeFileSync(join(copy, "package.json"), JSON.stringify({ ...content, dependencies, peerDependencies }));
}

function nameOf(folder: string): unknown {
  const file = join(folder, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).name : undefined;
}

/** The versions of the packages, as package.json names them. */
interface PackageVersions {
  readonly proffer: string;
  readonly cli: string;
  /** Only in a clone: npm installs the published one with the command line. */
  readonly inspector?: string;
}

/** Returns the files of a new project, by path. */
function projectFiles(name: string, versions: PackageVersions): { readonly [path: string]: string } {
  return {
    "package.json": packageJson(name, versions),
    "tools.ts": TOOLS,
    "tools.test.ts": TEST,
    "tsconfig.json": TSCONFIG,
    ".gitignore": "node_modules/\n.proffer/\ndist/\n",
  };
}

function packageJson(name: string, { proffer, cli, inspector }: PackageVersions): string {
  const content = {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    scripts: {
      start: "proffer serve tools.ts",
      dev: "proffer dev tools.ts --http",
      build: "proffer build tools.ts --out dist",
      check: "proffer check tools.ts",
      test: "node --import @proffer/cli/register --test tools.test.ts",
    },
    dependencies: { proffer },
    devDependencies: {
      "@proffer/cli": cli,
      ...(inspector !== undefined && { "@proffer/inspector": inspector }),
      "@types/node": "^20.19.0",
    },
    engines: { node: ">=20.19" },
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

const TOOLS = `/**
 * Rolls dice and computes odds.
 * @module
 */
import { ToolError } from "proffer";
import { defineSettings } from "proffer/settings";

/** Environment variables. Add @secret to the comment of a key or a password. */
const settings = defineSettings<{
  /** The maximum number of sides of a die. @integer @minimum 2 @default 1000 */
  MAX_SIDES: number;
}>();

/** The result of a roll. */
export interface Roll {
  /** The value of each die. */
  dice: number[];
  total: number;
}

/**
 * Rolls dice.
 * @param count - the number of dice. @integer @minimum 1 @maximum 100
 * @param sides - the number of sides of each die. @integer @minimum 2
 */
export function roll(count = 1, sides = 6): Roll {
  const { MAX_SIDES } = settings;
  if (sides > MAX_SIDES) throw new ToolError(\`A die has at most \${MAX_SIDES} sides.\`);
  const dice = Array.from({ length: count }, () => 1 + Math.floor(Math.random() * sides));
  return { dice, total: dice.reduce((sum, die) => sum + die, 0) };
}

/**
 * Returns the odds of a total of two dice.
 * @resource dice://odds/{total}
 * @mimeType text/plain
 * @param total - the total. @integer @minimum 2 @maximum 12
 */
export function odds(total: number): string {
  return \`\${6 - Math.abs(7 - total)} of 36\`;
}

/**
 * Explains a game of dice.
 * @prompt
 * @param game - the game to explain
 */
export function explain(game: string, style: "short" | "thorough" = "short"): string {
  return \`Explain the rules of \${game} to a new player. Be \${style}.\`;
}
`;

const TEST = `import assert from "node:assert/strict";
import { after, test } from "node:test";
import { load } from "@proffer/cli";
import { connect } from "proffer/testing";
import type { Roll } from "./tools.ts";

const client = await connect(await load(new URL("./tools.ts", import.meta.url)));
after(() => client.close());

test("a roll has the right total", async () => {
  const { dice, total } = (await client.call("roll", { count: 3 })).structuredContent as Roll;
  assert.equal(dice.length, 3);
  assert.equal(total, dice.reduce((sum, die) => sum + die));
});

test("a die has at least two sides", async () => {
  const { isError } = await client.call("roll", { sides: 1 });
  assert.equal(isError, true);
});

test("seven is the most likely total", async () => {
  const [odds] = (await client.read("dice://odds/7")).contents;
  assert.equal(odds && "text" in odds && odds.text, "6 of 36");
});

test("the prompt names the game", async () => {
  const { messages } = await client.get("explain", { game: "craps" });
  assert.match(JSON.stringify(messages), /craps/);
});
`;

const TSCONFIG = `${JSON.stringify(
  {
    compilerOptions: {
      target: "ES2023",
      module: "nodenext",
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      types: ["node"],
    },
    include: ["*.ts"],
  },
  undefined,
  2,
)}\n`;
