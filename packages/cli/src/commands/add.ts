import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { applyEdits, type JSONPath, modify, parse } from "jsonc-parser";
import { formatDifference } from "../install/difference.ts";
import { ownVersion, parseObject } from "../modules/packages.ts";
import { CommandError } from "../terminal/command-error.ts";
import { isObject, type Members } from "../terminal/json.ts";
import { runNpm } from "../terminal/npm.ts";
import { currentShell, fromHere, quoteForShell } from "../terminal/shell.ts";
import { printLines, say, stylesFor, warn } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";
import { clonedPackages, packClone } from "./init.ts";

export interface AddFlags {
  readonly install: boolean;
  readonly dryRun?: boolean;
}

/**
 * Adds Proffer to the project in a folder: dependencies, scripts, and one file with an example. What exists stays.
 * @throws {CommandError} for a folder without a package.json, or with a damaged one; then nothing is written.
 */
export async function add(folder: string, { install, dryRun = false }: AddFlags): Promise<void> {
  const target = fromHere(folder);
  const file = join(target, "package.json");
  if (!existsSync(file)) {
    throw new CommandError(`${folder} has no package.json. To create a project, run: npx proffer init ${folder}`);
  }
  const before = readFileSync(file, "utf8");
  const content = parseObject(file, before);
  const clone = clonedPackages();
  const module = existsSync(join(target, "src")) ? "src/mcp.ts" : "mcp.ts";
  const after = withPackages(before, content, module, clone);
  const changes = new Map([[file, { before, after }], ...changesOf(target, module)]);
  for (const [path, change] of changes) show(relative(target, path), change);
  if (dryRun) return say(text`Dry run: nothing was changed.`);
  if (clone !== undefined && after !== before) packClone(clone, target);
  for (const [path, { after }] of changes) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, after);
  }
  const { manager, root } = managerOf(target, content);
  const isInstalled =
    install && manager === "npm" && runNpm(["install", "--no-audit", "--no-fund"], target, "shown").isDone;
  const { cwd } = currentShell();
  printLines([
    // Yarn 1 finds the tarballs of a workspace only from its root.
    ...(isInstalled
      ? changeFolder(cwd, target)
      : [...changeFolder(cwd, root), `${manager} install`, ...changeFolder(root, target)]),
    `npx proffer check ${module}`,
    `npx proffer dev ${module} --http`,
  ]);
}

function changeFolder(from: string, to: string): string[] {
  return from === to ? [] : [`cd ${quoteForShell(relative(from, to))}`];
}

interface Change {
  readonly before: string;
  readonly after: string;
}

/** Sets what is missing; the rest of the text stays unchanged. */
function withPackages(
  before: string,
  content: Members,
  module: string,
  clone: ReturnType<typeof clonedPackages>,
): string {
  const files = Object.fromEntries((clone ?? []).map(({ name, file }) => [name, `file:${file}`]));
  const version = `^${ownVersion()}`;
  const wanted: readonly (readonly [section: string, name: string, value: string])[] = [
    ["dependencies", "proffer", files.proffer ?? version],
    ["devDependencies", "@proffer/cli", files.cli ?? version],
    ...(files.inspector === undefined ? [] : [["devDependencies", "@proffer/inspector", files.inspector] as const]),
    ["devDependencies", "@types/node", "^20.19.0"],
    ["scripts", "mcp", `proffer serve ${module}`],
    ["scripts", "mcp:dev", `proffer dev ${module} --http`],
    ["scripts", "mcp:check", `proffer check ${module}`],
  ];
  const listed = new Set(
    ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "scripts"].flatMap((section) =>
      isObject(content[section]) ? Object.keys(content[section]) : [],
    ),
  );
  const missing = wanted.filter(([, name]) => !listed.has(name));
  return missing.reduce((changed, [section, name, value]) => editJsonText(changed, [section, name], value), before);
}

/** Returns the changes of the other files. */
function changesOf(target: string, module: string): [path: string, change: Change][] {
  const changes: [string, Change][] = [];
  const example = join(target, module);
  if (existsSync(example)) say(text`${module} exists and stays as it is.`);
  else changes.push([example, { before: "", after: EXAMPLE }]);
  const config = join(target, "tsconfig.json");
  if (existsSync(config)) {
    const before = readFileSync(config, "utf8");
    changes.push([config, { before, after: withNodeTypes(before) }]);
  }
  const ignored = join(target, ".gitignore");
  if (existsSync(ignored)) {
    const before = readFileSync(ignored, "utf8");
    const isIgnored = /^\/?\.proffer\/?\s*$/m.test(before);
    changes.push([ignored, { before, after: isIgnored ? before : `${before.replace(/(?<!\n)$/, "\n")}.proffer/\n` }]);
  }
  return changes.filter(([, { before, after }]) => before !== after);
}

/** A list of types that lacks those of Node hides them from the module. */
function withNodeTypes(before: string): string {
  const { compilerOptions } = (parse(before) ?? {}) as { compilerOptions?: Members };
  const { types, moduleResolution } = compilerOptions ?? {};
  if (/^(?:node|node10|classic)$/i.test(String(moduleResolution))) {
    warn(
      `tsconfig.json has "moduleResolution": "${moduleResolution}", which does not find proffer/settings and the other entries. Set it to "bundler" or "node16"; proffer itself works with either.`,
    );
  }
  if (!Array.isArray(types) || types.includes("node")) return before;
  return editJsonText(before, ["compilerOptions", "types", types.length], "node");
}

/** Sets a member in the text of a JSON file. The rest of the text stays unchanged. */
export function editJsonText(before: string, path: JSONPath, value: string): string {
  const [, indent = "  "] = /^([ \t]+)"/m.exec(before) ?? [];
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.length,
    eol: before.includes("\r\n") ? "\r\n" : "\n",
  };
  const isInsertion = typeof path.at(-1) === "number";
  return applyEdits(before, modify(before, path, value, { formattingOptions, isArrayInsertion: isInsertion }));
}

function show(name: string, { before, after }: Change): void {
  const difference = formatDifference(before, after, stylesFor(currentShell().stderr), (line) => line);
  say(before === after ? text`${name} needs no change.` : text`${name}:\n${difference}`);
}

/** The lock files of package managers; that of a workspace is in its root. */
const LOCKS = {
  "pnpm-lock.yaml": "pnpm",
  "pnpm-workspace.yaml": "pnpm",
  "yarn.lock": "yarn",
  "bun.lock": "bun",
  "package-lock.json": "npm",
};

/** Returns the package manager of a project: the one that it names, or that wrote the nearest lock file; and its folder. */
function managerOf(target: string, { packageManager }: Members): { manager: string; root: string } {
  const [, named] = /^(npm|pnpm|yarn|bun)@/.exec(String(packageManager)) ?? [];
  for (let root = target; ; root = dirname(root)) {
    const found = Object.entries(LOCKS).find(([file]) => existsSync(join(root, file)));
    if (found !== undefined && (root === target || isWorkspace(root))) return { manager: named ?? found[1], root };
    if (dirname(root) === root) return { manager: named ?? "npm", root: target };
  }
}

function isWorkspace(root: string): boolean {
  if (existsSync(join(root, "pnpm-workspace.yaml"))) return true;
  const file = join(root, "package.json");
  return existsSync(file) && parseObject(file, readFileSync(file, "utf8")).workspaces !== undefined;
}

const EXAMPLE = `/**
 * What this application offers to AI clients.
 * @module
 */

/**
 * Adds two numbers. Replace this function with some that call your application.
 * @param a - the first number
 * @param b - the second number
 * @readOnly
 */
export function add(a: number, b: number): number {
  return a + b;
}
`;
