import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parsePairs } from "../client/arguments.ts";
import { applyChange, type ClientFlags, locateConfig } from "../install/apply.ts";
import { toLaunch } from "../install/launch.ts";
import { findBuiltFolder } from "../modules/module-file.ts";
import { prepareModule } from "../modules/prepare-module.ts";
import { CommandError } from "../terminal/command-error.ts";

export interface InstallFlags extends ClientFlags {
  readonly name?: string;
  readonly env: readonly string[];
}

/** Adds a module to a client's configuration. @throws {CommandError} if it cannot be served, or the file not edited. */
export async function install(file: string, flags: InstallFlags): Promise<void> {
  const { config } = locateConfig(flags);
  const name = checkName(flags.name ?? toName(await serverName(file)));
  const env = Object.fromEntries(parsePairs(flags.env, "--env"));
  const entry = config.toEntry(toLaunch(file, flags.project ?? false, env), name);
  await applyChange(flags, () => ({ name, entry }));
}

/** Derives the module to get its name. A broken module fails here, because the client would not show the reason. */
async function serverName(file: string): Promise<string> {
  const built = findBuiltFolder(file);
  if (built === undefined) return (await prepareModule(file)).manifest.server.name;
  return JSON.parse(readFileSync(join(built, "package.json"), "utf8")).name;
}

/** Converts a package name to a name that clients accept as an identifier: `@scope/name` becomes `scope-name`. */
function toName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+/, "");
}

function checkName(name: string): string {
  // Clients pass the name to their own commands, where a leading - would make it an option.
  if (/^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/.test(name)) return name;
  throw new CommandError(
    `Invalid server name ${JSON.stringify(name)}. Use 1 to 64 letters, digits, _ and -; the first is not -.`,
  );
}
