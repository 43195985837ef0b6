import type { JsonSchemaObject } from "proffer";
import type { ManifestSettings } from "proffer/derived";
import { isRequired, isSecret } from "proffer/settings";
import { describeModule } from "../modules/load.ts";
import { findBuiltFolder, findModule } from "../modules/module-file.ts";
import {
  type FoundPackage,
  isUrl,
  type ProjectPackage,
  readProjectPackage,
  repositoryOf,
  textOf,
  toServerName,
} from "../modules/packages.ts";

const SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/** The rules of the registry. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9.-]*\.[A-Za-z0-9.-]*[A-Za-z0-9]\/[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const MAX_NAME = 200;
const MAX_DESCRIPTION = 100;
/** A range or a tag, such as ^1.0.0 or latest, is refused. */
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;
const NPM_NAME = /^(?=.{1,214}$)(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** An entry for the registry, and the reasons why it would be refused. */
interface Entry {
  readonly name: string;
  readonly json: object;
  readonly problems: readonly string[];
}

type Content = { readonly [key: string]: unknown };

/**
 * Describes a server for the MCP registry.
 * @param earlier - the server.json of the project, whose other members are kept
 */
export function describeEntry({ description, settings, project }: PublishedServer, earlier: Content): Entry {
  const { content } = project;
  const name = textOf(content.mcpName) ?? textOf(earlier.name) ?? githubName(content);
  const about = textOf(earlier.description) ?? description;
  const identifier = textOf(content.name);
  const version = textOf(content.version);
  const repository = repositoryOf(content.repository);
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
  const json = {
    ...(repository && { repository: { url: repository, source: sourceOf(repository) } }),
    ...(isUrl(page) && page !== repository && { websiteUrl: page }),
    ...earlier,
    $schema: SCHEMA,
    name,
    description: about,
    version,
    packages: [npm, ...others],
  };
  const problems = [
    ...problemsOfName(name, content, earlier),
    ...problemsOfText(about),
    ...problemsOfPackage(content, identifier, version),
  ];
  return { name: name ?? "", json: inOrder(json), problems };
}

/** The name that a login with GitHub may use. */
function githubName({ name, repository }: ProjectPackage): string | undefined {
  const [, owner] = /^https:\/\/github\.com\/([^/]+)\//.exec(repositoryOf(repository) ?? "") ?? [];
  const base = textOf(name)?.replace(/^@[^/]*\//, "");
  return owner === undefined || base === undefined ? undefined : `io.github.${owner}/${base}`;
}

function sourceOf(repository: string): string {
  const { hostname } = new URL(repository);
  return hostname.replace(/^www\./, "").split(".")[0] ?? hostname;
}

function problemsOfName(name: string | undefined, { mcpName }: ProjectPackage, earlier: Content): string[] {
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

function problemsOfPackage(
  content: ProjectPackage,
  identifier: string | undefined,
  version: string | undefined,
): string[] {
  const problems: string[] = [];
  if (identifier === undefined || !NPM_NAME.test(identifier)) {
    problems.push(`The name of the package, ${JSON.stringify(identifier ?? "")}, is not valid on npm.`);
  }
  if (version === undefined || !VERSION.test(version)) {
    problems.push(
      `The version ${JSON.stringify(version ?? "")} is not exact. Write one such as 1.0.0 in package.json.`,
    );
  }
  if (content.private === true) problems.push('npm does not publish the package. Remove "private": true.');
  if (content.bin === undefined) {
    problems.push('npx cannot start the package. Build it with --out dist, and add "bin": "dist/index.js".');
  }
  return problems;
}

function toVariables(settings: ManifestSettings): object[] {
  return Object.entries(settings.properties).map(([name, setting]) => ({
    name,
    ...(setting.description && { description: setting.description }),
    ...toFormat(setting),
    isRequired: isRequired(settings, name),
    isSecret: isSecret(setting),
    ...(setting.default !== undefined && { default: toText(setting.default) }),
    ...(setting.enum && { choices: setting.enum.map(toText) }),
  }));
}

function toFormat({ type }: JsonSchemaObject): object {
  return { format: type === "boolean" ? "boolean" : type === "number" || type === "integer" ? "number" : "string" };
}

function toText(value: unknown): string {
  return Array.isArray(value) ? value.join(",") : String(value);
}

/** Puts the members that people look for first. */
function inOrder(json: Content): object {
  const first = ["$schema", "name", "title", "description", "version", "repository", "websiteUrl"];
  const known = first.flatMap((key) => (json[key] === undefined ? [] : [[key, json[key]] as const]));
  return { ...Object.fromEntries(known), ...json };
}

/** A server that others install from npm, or reach at a URL. */
interface PublishedServer {
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
  const [summary] = server.instructions?.split(/\n\s*\n/) ?? [];
  return {
    name: toServerName(server.name),
    description: textOf(project.content.description) ?? textOf(summary?.replaceAll("\n", " ")),
    settings,
    project,
  };
}
