import { isUrl, textOf } from "../modules/packages.ts";
import { createLinks, toMarkdown } from "../publish/install-links.ts";
import { describePublished } from "../publish/server-json.ts";
import { CommandError, WrongUsage } from "../terminal/command-error.ts";
import { print, printJson } from "../terminal/terminal.ts";
import { Text } from "../terminal/text.ts";

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
