import { basename } from "node:path";
import type { JsonSchemaObject } from "proffer";
import type { ManifestSettings } from "proffer/derived";
import { isRequired, isSecret } from "proffer/settings";
import {
  describeServer,
  isUrl,
  type Person,
  personOf,
  problemsOfVersion,
  repositoryOf,
  textOf,
} from "../modules/packages.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Members } from "../terminal/json.ts";
import { isRelativePath } from "../terminal/paths.ts";

/** The schema of manifests that most clients read. */
const MANIFEST_VERSION = "0.3";
const NODE = ">=20.19";

/** A server to describe in a manifest. */
export interface PackedServer {
  readonly name: string;
  readonly version: string;
  readonly instructions?: string | undefined;
  readonly settings: ManifestSettings | undefined;
  /** The file that starts the server, in the package. */
  readonly entry: string;
  /** Undefined if the lists are only known at run time. */
  readonly items: PackedItems | undefined;
}

export interface PackedItems {
  readonly tools: readonly { readonly name: string; readonly description?: string | undefined }[];
  readonly prompts: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly arguments?: readonly { readonly name: string }[] | undefined;
  }[];
}

/**
 * Describes a package for Claude Desktop and other clients that install `.mcpb` files.
 * @throws {CommandError} if package.json lacks a part that the format requires, or the version is not one.
 */
export function describeMcpb(server: PackedServer, project: Members): object {
  const { name, version, instructions, settings, entry, items } = server;
  const author = personOf(project.author);
  const description = describeServer(project, instructions);
  const missing = [
    ...(author === undefined ? ['"author": "Your name"'] : []),
    ...(description === undefined ? ['"description": "What the server does"'] : []),
  ];
  if (missing.length > 0) {
    throw new CommandError(`A package needs an author and a description. Add to package.json: ${missing.join(", ")}`);
  }
  const [problem] = problemsOfVersion(version);
  if (problem !== undefined) throw new CommandError(problem);
  return {
    manifest_version: MANIFEST_VERSION,
    name,
    version,
    description,
    ...(instructions && instructions !== description && { long_description: instructions }),
    author: toAuthor(author as Person),
    ...linksOf(project),
    server: {
      type: "node",
      entry_point: entry,
      mcp_config: {
        command: "node",
        args: [`${placeholder("__dirname")}/${entry}`],
        ...(settings && { env: mapNames(settings, (_, key) => placeholder(`user_config.${key}`)) }),
      },
    },
    ...toLists(items),
    ...(settings && { user_config: mapNames(settings, (setting, key) => toOption(setting, key, settings)) }),
    compatibility: { platforms: ["darwin", "win32", "linux"], runtimes: { node: NODE } },
  };
}

/** The client replaces it when it starts the server. */
function placeholder(name: string): string {
  return `\${${name}}`;
}

/** The format accepts only valid addresses. */
function toAuthor({ name, email, url }: Person): Person {
  return {
    name,
    ...(email !== undefined && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) && { email }),
    ...(url && { url }),
  };
}

function linksOf({ repository, homepage, license, keywords }: Members): object {
  const url = repositoryOf(repository);
  const page = textOf(homepage);
  const words = Array.isArray(keywords) ? keywords.filter((word) => typeof word === "string") : [];
  return {
    ...(url && { repository: { type: "git", url } }),
    ...(isUrl(page) && { homepage: page }),
    ...(textOf(license) && { license: textOf(license) }),
    ...(words.length > 0 && { keywords: words }),
  };
}

/** A prompt needs a text, but ours are made by code: the client asks the server for it. */
function toLists(items: PackedItems | undefined): object {
  if (items === undefined) return { tools_generated: true, prompts_generated: true };
  const { tools, prompts } = items;
  return {
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description }) => ({ name, ...(description && { description }) })),
    }),
    ...(prompts.length > 0 && {
      prompts: prompts.map(({ name, description, arguments: list = [] }) => ({
        name,
        ...(description && { description }),
        ...(list.length > 0 && { arguments: list.map((argument) => argument.name) }),
        text: description ?? name,
      })),
      prompts_generated: true,
    }),
  };
}

function mapNames<Value>(
  { properties }: ManifestSettings,
  change: (setting: JsonSchemaObject, name: string) => Value,
): { [name: string]: Value } {
  return Object.fromEntries(Object.entries(properties).map(([name, setting]) => [name, change(setting, name)]));
}

const TYPES: { readonly [type: string]: string } = { number: "number", integer: "number", boolean: "boolean" };

function toOption(setting: JsonSchemaObject, name: string, settings: ManifestSettings): object {
  const { type, title = toTitle(name), description, default: value, minimum, maximum, enum: choices } = setting;
  // A client starts the server in a folder of its own, often one that nobody can write to: the user names a place.
  const isPlace = isRelativePath(value);
  const notes = [
    description ?? title,
    ...(isPlace ? [`An absolute path, such as one that ends with ${basename(value)}.`] : []),
    ...(choices ? [`One of: ${choices.join(", ")}.`] : []),
    ...(type === "array" ? ["Separate several with commas."] : []),
  ];
  return {
    type: TYPES[String(type)] ?? "string",
    title,
    description: notes.join(" "),
    required: isPlace || isRequired(settings, name),
    ...(isSecret(setting) && { sensitive: true }),
    ...(value !== undefined && !isPlace && { default: Array.isArray(value) ? value.join(",") : value }),
    ...(minimum !== undefined && { min: minimum }),
    ...(maximum !== undefined && { max: maximum }),
  };
}

/** `SHOP_TOKEN` becomes `Shop token`. */
function toTitle(name: string): string {
  const words = name.toLowerCase().replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
