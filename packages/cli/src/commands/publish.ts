import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ManifestSettings } from "proffer/derived";
import { isRequired, isSecret } from "proffer/settings";
import { replaceFile } from "../install/atomic-file.ts";
import { formatDifference } from "../install/difference.ts";
import { describeModule } from "../modules/load.ts";
import { findBuiltFolder, findModule } from "../modules/module-file.ts";
import {
  describeServer,
  type FoundPackage,
  isUrl,
  parseObject,
  problemsOfVersion,
  readProjectPackage,
  repositoryOf,
  textOf,
  toServerName,
} from "../modules/packages.ts";
import { CommandError, WrongUsage } from "../terminal/command-error.ts";
import { isObject, type Members } from "../terminal/json.ts";
import { currentShell, quoteForShell } from "../terminal/shell.ts";
import { printLines, say, stylesFor } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";
import { editJsonText } from "./add.ts";

/**
 * Prepares a project for the MCP registry: writes server.json and `mcpName` of package.json, and prints the commands that
 * need a network.
 * @throws {CommandError} with all reasons why the registry would refuse the server; then nothing is written.
 */
export async function publish(
  file: string,
  flags: { readonly prepare?: boolean; readonly dryRun?: boolean; readonly url?: string },
): Promise<void> {
  const { prepare = false, dryRun = false, url } = flags;
  if (url !== undefined && !isUrl(url)) throw new WrongUsage(`Invalid value of --url: ${JSON.stringify(url)}.`);
  if (!prepare)
    throw new WrongUsage("proffer publish works offline: add --prepare. It prints the commands that publish.");
  const server = await describePublished(file);
  const { project } = server;
  const target = join(dirname(project.file), "server.json");
  const before = existsSync(target) ? readFileSync(target, "utf8") : "";
  const { name, json, problems } = describeEntry(server, before === "" ? {} : parseObject(target, before), url);
  if (problems.length > 0) {
    const lines = problems.map((problem) => text`- ${problem}`);
    throw new CommandError(
      text`The registry would refuse this server. Nothing was written.\n${Text.join(lines, "\n")}`,
    );
  }
  // By this name, the registry recognizes the owner of the package.
  apply(project.file, project.text, editJsonText(project.text, ["mcpName"], name), dryRun);
  apply(target, before, `${JSON.stringify(json, undefined, 2)}\n`, dryRun);
  printLines(stepsFor(file, name, server.project.content.bin, dirname(project.file)));
}

/** Writes a file, if it changes, and shows the difference. */
function apply(file: string, before: string, after: string, dryRun: boolean): void {
  if (before === after) {
    say(text`${basename(file)} is up to date.`);
    return;
  }
  say(text`${basename(file)}:`);
  say(formatDifference(before, after, stylesFor(currentShell().stderr), (line) => line));
  if (dryRun) return;
  replaceFile(file, after, statSync(file, { throwIfNoEntry: false }), () => true);
  say(text`Wrote ${file}.`);
}

/** Returns the commands that publish the package and the entry. */
function stepsFor(file: string, name: string, bin: unknown, folder: string): string[] {
  const [namespace = ""] = name.split("/");
  const domain = namespace.split(".").reverse().join(".");
  const login = namespace.startsWith("io.github.") ? "github" : `dns --domain ${domain} --private-key <key>`;
  const path =
    typeof bin === "string" ? bin : Object.values((bin ?? {}) as object).find((each) => typeof each === "string");
  const isBuilt = path !== undefined && existsSync(join(folder, path));
  return [
    ...(isBuilt
      ? []
      : [`npx proffer build ${quoteForShell(file)} --out ${quoteForShell(dirname(path ?? "dist/index.js"))}`]),
    "npm publish",
    `mcp-publisher login ${login}`,
    "mcp-publisher publish",
  ];
}

const SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/** The rules of the registry. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9.-]*\.[A-Za-z0-9.-]*[A-Za-z0-9]\/[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const MAX_NAME = 200;
const MAX_DESCRIPTION = 100;
const NPM_NAME = /^(?=.{1,214}$)(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** An entry for the registry, and the reasons why it would be refused. */
interface Entry {
  readonly name: string;
  readonly json: object;
  readonly problems: readonly string[];
}

/**
 * Describes a server for the MCP registry.
 * @param earlier - the server.json of the project, whose other members are kept
 * @param url - the address over HTTP, if the server has one
 */
export function describeEntry(
  { description, settings, project }: PublishedServer,
  earlier: Members,
  url?: string,
): Entry {
  const { content } = project;
  const name = textOf(content.mcpName) ?? textOf(earlier.name) ?? githubName(content);
  const about = textOf(earlier.description) ?? description;
  const identifier = textOf(content.name);
  const version = textOf(content.version);
  const repository = repositoryOf(content.repository);
  const [source] = repository === undefined ? [] : new URL(repository).hostname.replace(/^www\./, "").split(".");
  const page = textOf(content.homepage);
  const npm = {
    registryType: "npm",
    identifier,
    version,
    runtimeHint: "npx",
    transport: { type: "stdio" },
    ...(settings && { environmentVariables: toVariables(settings) }),
  };
  const others = Array.isArray(earlier.packages) ? earlier.packages.filter((each) => each?.registryType !== "npm") : [];
  const remotes = Array.isArray(earlier.remotes) ? earlier.remotes : [];
  const isNew = url !== undefined && !remotes.some((remote) => remote?.url === url);
  const json = {
    ...(repository && { repository: { url: repository, source } }),
    ...(isUrl(page) && page !== repository && { websiteUrl: page }),
    ...earlier,
    $schema: SCHEMA,
    name,
    description: about,
    version,
    packages: [npm, ...others],
    ...(isNew && { remotes: [{ type: "streamable-http", url }, ...remotes] }),
  };
  const problems = [...problemsOfName(name, content, earlier), ...problemsOfText(about), ...problemsOfPackage(content)];
  return { name: name ?? "", json: inOrder(json), problems };
}

/** The name that a login with GitHub may use. */
function githubName({ name, repository }: Members): string | undefined {
  const [, owner] = /^https:\/\/github\.com\/([^/]+)\//.exec(repositoryOf(repository) ?? "") ?? [];
  const base = textOf(name)?.replace(/^@[^/]*\//, "");
  return owner === undefined || base === undefined ? undefined : `io.github.${owner}/${base}`;
}

function problemsOfName(name: string | undefined, { mcpName }: Members, earlier: Members): string[] {
  if (name === undefined) {
    return ['The server has no name. Add to package.json: "mcpName": "io.github.<your GitHub name>/<server>".'];
  }
  if (textOf(mcpName) !== undefined && textOf(earlier.name) !== undefined && mcpName !== earlier.name) {
    return [`mcpName of package.json is ${name}, but the name in server.json is ${earlier.name}. They must be equal.`];
  }
  if (NAME.test(name) && name.length <= MAX_NAME) return [];
  return [
    `The name ${JSON.stringify(name)} is not valid: it must be a domain in reverse and one slash, such as io.github.ada/shop or com.example/shop, of at most ${MAX_NAME} characters.`,
  ];
}

function problemsOfText(description: string | undefined): string[] {
  if (description === undefined) return ['The server has no description. Add "description" to package.json.'];
  const { length } = description;
  if (length <= MAX_DESCRIPTION) return [];
  return [
    `The description has ${length} characters, more than ${MAX_DESCRIPTION}. Shorten it in package.json, or write a shorter one in server.json.`,
  ];
}

function problemsOfPackage(content: Members): string[] {
  const [identifier, version] = [textOf(content.name), textOf(content.version)];
  const problems: string[] = [];
  if (identifier === undefined || !NPM_NAME.test(identifier)) {
    problems.push(`The name of the package, ${JSON.stringify(identifier ?? "")}, is not valid on npm.`);
  }
  problems.push(...problemsOfVersion(version));
  if (content.private === true) problems.push('npm does not publish the package. Remove "private": true.');
  for (const [name, range] of Object.entries({
    ...asObject(content.optionalDependencies),
    ...asObject(content.dependencies),
  })) {
    if (!/^(?:file|link|portal|workspace|catalog):/.test(String(range))) continue;
    problems.push(
      `Whoever installs the package has no ${name} at ${JSON.stringify(range)}. Depend on a published version, or move ${name} to devDependencies if the build is a bundle.`,
    );
  }
  if (content.bin === undefined) {
    problems.push('npx cannot start the package. Build it with --out dist, and add "bin": "dist/index.js".');
  }
  return problems;
}

function asObject(value: unknown): Members {
  return isObject(value) ? value : {};
}

function toVariables(settings: ManifestSettings): object[] {
  return Object.entries(settings.properties).map(([name, setting]) => ({
    name,
    ...(setting.description && { description: setting.description }),
    format: FORMATS[String(setting.type)] ?? "string",
    isRequired: isRequired(settings, name),
    isSecret: isSecret(setting),
    ...(setting.default !== undefined && { default: toText(setting.default) }),
    ...(setting.enum && { choices: setting.enum.map(toText) }),
  }));
}

const FORMATS: { readonly [type: string]: string } = { number: "number", integer: "number", boolean: "boolean" };

function toText(value: unknown): string {
  return Array.isArray(value) ? value.join(",") : String(value);
}

/** Puts the members that people look for first. */
function inOrder(json: Members): object {
  const first = ["$schema", "name", "title", "description", "version", "repository", "websiteUrl"];
  const known = first.flatMap((key) => (json[key] === undefined ? [] : [[key, json[key]] as const]));
  return { ...Object.fromEntries(known), ...json };
}

/** A server that others install from npm, or reach at a URL. */
export interface PublishedServer {
  /** A name that clients accept as an identifier. */
  readonly name: string;
  readonly description: string | undefined;
  readonly settings: ManifestSettings | undefined;
  readonly project: FoundPackage;
}

/** Describes a module or a built folder with the package.json of its project. @throws {CommandError} without one. */
export async function describePublished(file: string): Promise<PublishedServer> {
  const project = readProjectPackage(findBuiltFolder(file) ?? findModule(file));
  const { server, settings } = await describeModule(file);
  return {
    name: toServerName(server.name),
    description: describeServer(project.content, server.instructions),
    settings,
    project,
  };
}
