import { join } from "node:path";
import { WrongUsage } from "../terminal/command-error.ts";
import { print, say, stylesFor } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";
import type { ClientName } from "./client-names.ts";
import { CLIENTS, type ClientConfig } from "./clients.ts";
import { type ConfigChange, writeConfig } from "./config-file.ts";
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
  return { config, file: join(process.cwd(), config.projectFile) };
}

/** Prints the difference and writes it, unless `dryRun` is set. */
export function applyChange(file: string, config: ClientConfig, change: ConfigChange, dryRun = false): void {
  if (change.before === change.after) {
    say(text`${file} is already up to date.`);
    return;
  }
  print(formatDifference(change.before, change.after, stylesFor(process.stdout)));
  if (dryRun) {
    say(text`\nDry run: ${file} was not changed.`);
    return;
  }
  const backup = writeConfig(file, change.after);
  say(text`\nWrote ${file}${backup === undefined ? "" : `; the previous version is in ${backup}`}.`);
  say(text`${config.title}: ${config.nextStep}`);
}
