import { join } from "node:path";
import { WrongUsage } from "../terminal/command-error.ts";
import { print, say, stylesFor } from "../terminal/terminal.ts";
import type { ClientName } from "./client-names.ts";
import { CLIENTS, type ClientConfig } from "./clients.ts";
import { type ConfigChange, writeConfig } from "./config-file.ts";
import { formatDifference } from "./difference.ts";

export interface ClientFlags {
  readonly client: ClientName;
  readonly project?: boolean;
  readonly dryRun?: boolean;
}

/** Which file of which client is meant. @throws {WrongUsage} if the client has no such file. */
export function locateConfig({ client, project }: ClientFlags): { config: ClientConfig; file: string } {
  const config = CLIENTS[client];
  if (!project) return { config, file: config.userFile() };
  if (config.projectFile === undefined) {
    throw new WrongUsage(`${config.title} has no configuration of projects; leave --project out.`);
  }
  return { config, file: join(process.cwd(), config.projectFile) };
}

/** Shows a change, and makes it unless it is a rehearsal. */
export function applyChange(file: string, config: ClientConfig, change: ConfigChange, dryRun = false): void {
  if (change.before === change.after) {
    say(`${file} is as it should be already.`);
    return;
  }
  print(formatDifference(change.before, change.after, stylesFor(process.stdout)));
  if (dryRun) {
    say(`\nNothing was changed; this would be ${file}.`);
    return;
  }
  const backup = writeConfig(file, change.after);
  say(`\nWrote ${file}${backup === undefined ? "" : `; what it was is in ${backup}`}.`);
  say(`${config.title}: ${config.after}`);
}
