import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import { replaceFile } from "../install/atomic-file.ts";
import { formatDifference } from "../install/difference.ts";
import { isUrl, textOf } from "../modules/packages.ts";
import { createLinks, toMarkdown } from "../publish/install-links.ts";
import { describeEntry, describePublished } from "../publish/server-json.ts";
import { CommandError, WrongUsage } from "../terminal/command-error.ts";
import { currentShell, quoteForShell } from "../terminal/shell.ts";
import { print, printJson, say, stylesFor } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";

export interface PublishFlags {
  readonly prepare?: boolean;
  readonly dryRun?: boolean;
}

/** A file with its content before and after. */
interface Change {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/**
 * Prepares a project for the MCP registry: writes server.json and `mcpName` of package.json, and prints the commands that
 * need a network.
 * @throws {CommandError} with all reasons why the registry would refuse the server; then nothing is written.
 */
export async function publish(file: string, { prepare = false, dryRun = false }: PublishFlags): Promise<void> {
  if (!prepare)
    throw new WrongUsage("proffer publish works offline: add --prepare. It prints the commands that publish.");
  const server = await describePublished(file);
  const { project } = server;
  const target = join(dirname(project.file), "server.json");
  const before = existsSync(target) ? readFileSync(target, "utf8") : "";
  const { name, json, problems } = describeEntry(server, parseEarlier(target, before));
  if (problems.length > 0) {
    const lines = problems.map((problem) => text`- ${problem}`);
    throw new CommandError(
      text`The registry would refuse this server. Nothing was written.\n${Text.join(lines, "\n")}`,
    );
  }
  const changes = [
    { file: project.file, before: project.text, after: setName(project.text, name) },
    { file: target, before, after: `${JSON.stringify(json, undefined, 2)}\n` },
  ];
  for (const change of changes) apply(change, dryRun);
  print(
    Text.join(
      stepsFor(file, name, server.project.content.bin, dirname(project.file)).map((step) => text`${step}`),
      "\n",
    ),
  );
}

/** Writes a file, if it changes, and shows the difference. */
function apply({ file, before, after }: Change, dryRun: boolean): void {
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

function parseEarlier(file: string, content: string): { readonly [key: string]: unknown } {
  if (content === "") return {};
  try {
    const parsed: unknown = JSON.parse(content);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  } catch (cause) {
    throw new CommandError(`${file} is not valid JSON: ${(cause as Error).message}`, { cause });
  }
  throw new CommandError(`${file} is not a JSON object.`);
}

/** Sets `mcpName`, by which the registry recognizes the owner of the package. The rest of the text stays unchanged. */
function setName(content: string, name: string): string {
  const [, indent = "  "] = /^([ \t]+)"/m.exec(content) ?? [];
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.length,
    eol: content.includes("\r\n") ? "\r\n" : "\n",
  };
  return applyEdits(content, modify(content, ["mcpName"], name, { formattingOptions }));
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

export interface LinksFlags {
  readonly url?: string;
  readonly name?: string;
  readonly json?: boolean;
}

/** Prints links that install a server in clients. @throws {CommandError} for a package that npm does not publish. */
export async function links(file: string, { url, name, json = false }: LinksFlags): Promise<void> {
  if (url !== undefined && !isUrl(url)) throw new WrongUsage(`Invalid value of --url: ${JSON.stringify(url)}.`);
  const published = await describePublished(file);
  const { content } = published.project;
  const npm = textOf(content.name);
  if (url === undefined && (npm === undefined || content.private === true)) {
    throw new CommandError(
      'A link installs a package from npm, but package.json has no name or is private. Remove "private": true, or pass --url with the address of the server.',
    );
  }
  const source = url === undefined ? { npm: npm ?? "" } : { url };
  const created = createLinks({ ...published, ...(name !== undefined && { name }), source });
  if (json) printJson(created);
  else print(Text.block(toMarkdown(created)));
}
