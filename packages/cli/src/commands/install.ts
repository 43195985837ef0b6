import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parsePairs } from "../client/arguments.ts";
import { applyChange, type ClientFlags, locateConfig } from "../install/apply.ts";
import { planChange } from "../install/config-file.ts";
import { toLaunch } from "../install/launch.ts";
import { BUILT_MANIFEST, findBuiltFolder } from "../modules/module-file.ts";
import { prepareModule } from "../modules/prepare-module.ts";
import { CommandError } from "../terminal/command-error.ts";

export interface InstallFlags extends ClientFlags {
  readonly name?: string;
  readonly env: readonly string[];
}

/** Adds a module to a client's configuration. @throws {CommandError} if it cannot be served, or the file not edited. */
export async function install(file: string, flags: InstallFlags): Promise<void> {
  const { config, file: target } = locateConfig(flags);
  const name = checkName(flags.name ?? toName(await serverName(file)));
  const env = Object.fromEntries(parsePairs(flags.env, "--env"));
  const entry = config.toEntry(toLaunch(file, flags.project ?? false, env), name);
  applyChange(target, config, planChange(target, config, name, entry), flags.dryRun);
}

/** Derives the module to get its name. A broken module fails here, because the client would not show the reason. */
async function serverName(file: string): Promise<string> {
  const built = findBuiltFolder(file);
  if (built === undefined) return (await prepareModule(file)).manifest.server.name;
  return JSON.parse(readFileSync(join(built, BUILT_MANIFEST), "utf8")).server.name;
}

/** Converts a package name to a name that clients accept as an identifier: `@scope/name` becomes `scope-name`. */
function toName(name: string): string {
  return name.replace(/^@/, "").replace(/[^A-Za-z0-9_-]+/g, "-");
}

function checkName(name: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return name;
  throw new CommandError(`Invalid server name ${JSON.stringify(name)}. Use 1 to 64 letters, digits, _ and -.`);
}
