import { WrongUsage } from "../terminal/command-error.ts";
import { currentShell, fromHere } from "../terminal/shell.ts";
import { print, say, stylesFor } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";
import { CLIENTS, type ClientConfig, type ClientName } from "./clients.ts";
import { changeConfig, type EntryChange, planConfig } from "./config-file.ts";
import { formatDifference } from "./difference.ts";

export interface ClientFlags {
  readonly client: ClientName;
  readonly project?: boolean;
  readonly dryRun?: boolean;
}

/** Returns the configuration file of a client. @throws {WrongUsage} if the client has no project configuration. */
export function locateConfig({ client, project }: ClientFlags): { config: ClientConfig; file: string } {
  const config = CLIENTS[client];
  if (!project) return { config, file: config.userFile() };
  if (config.projectFile === undefined) {
    throw new WrongUsage(`${config.title} has no project configuration. Remove --project.`);
  }
  return { config, file: fromHere(config.projectFile) };
}

/**
 * Changes the configuration of a client, unless `dryRun` is set, and prints the difference.
 * @param decide - returns the change, from the entries of the file.
 */
export async function applyChange(
  flags: ClientFlags,
  decide: (entries: { readonly [name: string]: unknown }, file: string) => EntryChange,
): Promise<void> {
  const { config, file } = locateConfig(flags);
  const change = await (flags.dryRun ? planConfig : changeConfig)(file, config, (entries) => decide(entries, file));
  const { before, after, hide, backup } = change;
  if (before === after) {
    say(text`${file} is already up to date.`);
    return;
  }
  print(formatDifference(before, after, stylesFor(currentShell().stdout), hide));
  if (flags.dryRun) {
    say(text`\nDry run: ${file} was not changed.`);
    return;
  }
  say(text`\nWrote ${file}${backup === undefined ? "" : `; the previous version is in ${backup}`}.`);
  say(text`${config.title}: ${config.nextStep}`);
}
