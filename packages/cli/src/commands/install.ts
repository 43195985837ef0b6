import { applyChange, type ClientFlags, locateConfig } from "../install/apply.ts";
import { toLaunch } from "../install/launch.ts";
import { checkVariables, parseVariables } from "../install/settings-env.ts";
import { describeModule } from "../modules/load.ts";
import { toServerName } from "../modules/packages.ts";
import { CommandError } from "../terminal/command-error.ts";

export interface InstallFlags extends ClientFlags {
  readonly name?: string;
  readonly env: readonly string[];
}

/** Adds a module to a client's configuration. @throws {CommandError} if it cannot be served, or the file not edited. */
export async function install(file: string, flags: InstallFlags): Promise<void> {
  const { config } = locateConfig(flags);
  const env = parseVariables(flags.env);
  const described = await describeModule(file);
  const name = checkName(flags.name ?? toServerName(described.server.name));
  if (described.settings !== undefined) await checkVariables(env, described.settings, flags.project ?? false);
  const entry = config.toEntry(toLaunch(file, flags.project ?? false, env), name);
  await applyChange(flags, () => ({ name, entry }));
}

function checkName(name: string): string {
  // Clients pass the name to their own commands, where a leading - would make it an option.
  if (/^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/.test(name)) return name;
  throw new CommandError(
    `Invalid server name ${JSON.stringify(name)}. Use 1 to 64 letters, digits, _ and -; the first is not -.`,
  );
}
