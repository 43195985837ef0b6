import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CommandError } from "../terminal/command-error.ts";
import { isObject, type Members } from "../terminal/json.ts";
import { findProject } from "./module-file.ts";

/** A person in a package.json, as npm reads it. */
export interface Person {
  readonly name: string;
  readonly email?: string;
  readonly url?: string;
}

/** The package.json of a project, and its place and text. */
export interface FoundPackage {
  readonly file: string;
  readonly text: string;
  /** Any member may be absent or have another type. */
  readonly content: Members;
}

/** Reads the package.json of the project that contains a file. @throws {CommandError} if there is none, or it is damaged. */
export function readProjectPackage(module: string): FoundPackage {
  const file = join(findProject(module), "package.json");
  if (!existsSync(file)) {
    throw new CommandError(`${module} has no package.json in its folder or above. Create one: npm init --yes`);
  }
  const text = readFileSync(file, "utf8");
  return { file, text, content: parseObject(file, text) };
}

/** Parses the text of a file. @throws {CommandError} if it is not a JSON object. */
export function parseObject(file: string, text: string): Members {
  try {
    const content: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (isObject(content)) return content;
  } catch (cause) {
    throw new CommandError(`${file} is not valid JSON: ${(cause as Error).message}`, { cause });
  }
  throw new CommandError(`${file} is not a JSON object.`);
}

/** Returns a text that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** Returns the description in package.json, or else the first paragraph of a server's instructions. */
export function describeServer({ description }: Members, instructions: string | undefined): string | undefined {
  const [summary] = instructions?.split(/\n\s*\n/) ?? [];
  return textOf(description) ?? textOf(summary?.replaceAll("\n", " "));
}

/** Reads `"Ada <ada@example.com> (https://ada.example)"` or an object. */
export function personOf(value: unknown): Person | undefined {
  const { groups } = /^(?<name>[^<(]*)(?:<(?<email>[^>]*)>)?\s*(?:\((?<url>[^)]*)\))?/.exec(textOf(value) ?? "") ?? {};
  const given: { readonly [key: string]: unknown } = isObject(value) ? value : { ...groups };
  const [name, email, url] = [textOf(given.name), textOf(given.email), textOf(given.url)];
  return name === undefined ? undefined : { name, ...(email && { email }), ...(isUrl(url) && { url }) };
}

/** Returns the web address of the repository: `git+https://…​.git` and `github:owner/name` become `https://…`. */
export function repositoryOf(value: unknown): string | undefined {
  const written = typeof value === "object" && value !== null ? (value as { url?: unknown }).url : value;
  const text = textOf(written);
  if (text === undefined) return undefined;
  const [, owner] = /^(?:github:)?([\w.-]+\/[\w.-]+)$/.exec(text) ?? [];
  if (owner !== undefined) return `https://github.com/${owner}`;
  const url = text
    .replace(/^git\+/, "")
    .replace(/^(?:git|ssh):\/\/(?:git@)?/, "https://")
    .replace(/^git@([^:]+):/, "https://$1/")
    .replace(/\.git$/, "");
  return isUrl(url) ? url : undefined;
}

export function isUrl(text: string | undefined): text is string {
  return text !== undefined && /^https?:\/\//.test(text) && URL.canParse(text);
}

/** A range or a tag, such as ^1.0.0 or latest, is refused. */
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

/** Returns the problem with a version that others must read, if it has one. */
export function problemsOfVersion(version = ""): string[] {
  if (VERSION.test(version)) return [];
  return [`The version ${JSON.stringify(version)} is not exact. Write one such as 1.0.0 in package.json.`];
}

/** Converts a package name to a name that clients accept as an identifier: `@scope/name` becomes `scope-name`. */
export function toServerName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+/, "");
}

/** Returns the version of this package, which equals that of `proffer`. */
export function ownVersion(): string {
  return readVersion(findProject(fileURLToPath(import.meta.url)));
}

/** Returns the folder and version of the TypeScript compiler without loading it. */
export function findCompiler(): { readonly directory: string; readonly version: string } {
  const directory = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
  return { directory, version: readVersion(directory) };
}

function readVersion(directory: string): string {
  return JSON.parse(readFileSync(join(directory, "package.json"), "utf8")).version;
}

/** Returns the folder of an installed package. It looks at the folders, because not every package exports its package.json. */
export function findInstalledFolder(from: string, name: string): string | undefined {
  const folders = createRequire(from).resolve.paths(name) ?? [];
  return folders.map((folder) => join(folder, name)).find((folder) => existsSync(join(folder, "package.json")));
}
