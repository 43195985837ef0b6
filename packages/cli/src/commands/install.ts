import { existsSync } from "node:fs";
import { basename, dirname, extname, resolve } from "node:path";
import { UsageError } from "proffer";
import { findSimilar, type ManifestSettings } from "proffer/derived";
import { parseVariables, type Variables, whileDescribing } from "../describe/describing.ts";
import { CLIENTS, type ClientConfig, type ClientName } from "../install/clients.ts";
import { changeConfig, type EntryChange, planConfig } from "../install/config-file.ts";
import { formatDifference } from "../install/difference.ts";
import { toLaunch } from "../install/launch.ts";
import { type DescribedModule, describeModule, load } from "../modules/load.ts";
import { findProject } from "../modules/module-file.ts";
import { toServerName } from "../modules/packages.ts";
import { CommandError, WrongUsage } from "../terminal/command-error.ts";
import type { Members } from "../terminal/json.ts";
import { isRelativePath } from "../terminal/paths.ts";
import { currentShell, fromHere } from "../terminal/shell.ts";
import { print, say, stylesFor, warn } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";

export interface InstallFlags extends ClientFlags {
  readonly name?: string;
  readonly env: readonly string[];
  /** Replace an entry that starts another module. */
  readonly replace?: boolean;
}

/** Adds a module to a client's configuration. @throws {CommandError} if it cannot be served, or the file not edited. */
export async function install(file: string, flags: InstallFlags): Promise<void> {
  const { config } = locateConfig(flags);
  const env = parseVariables(flags.env);
  const described = await describeModule(file);
  const name = checkName(flags.name ?? toServerName(await nameOf(file, described, flags.env)));
  const shared = flags.project ?? false;
  if (described.settings !== undefined) await checkVariables(env, described.settings, shared);
  // The configuration of a project has no paths of this machine.
  const variables = shared ? env : withAbsolutePaths(file, env, described.settings);
  const launch = toLaunch(file, shared, variables);
  const entry = config.toEntry(launch, name);
  await applyChange(flags, (entries, path) => {
    const earlier = Object.hasOwn(entries, name) ? entries[name] : undefined;
    if (earlier !== undefined && !flags.replace && !startsModule(earlier, launch.args.at(-1) ?? "")) {
      throw takenName(name, path, earlier, proposeName(file, entries));
    }
    return { name, entry };
  });
}

/** A server that the module exports has a name of its own, which is code. Otherwise the package names it. */
async function nameOf(file: string, { form, server }: DescribedModule, env: readonly string[]): Promise<string> {
  if (form === "functions") return server.name;
  const loaded = whileDescribing(env, () => load(file));
  // A module that cannot be imported here may work in the client.
  return (await loaded.catch(() => undefined))?.info.name ?? server.name;
}

/** Returns the variables, with settings that are relative paths, given or by default, as paths that work in any folder. */
function withAbsolutePaths(file: string, given: Variables, settings: ManifestSettings | undefined): Variables {
  const changed = Object.entries(settings?.properties ?? {}).flatMap(([name, { default: value }]) => {
    const own = given[name];
    const path = own ?? value;
    if (!isRelativePath(path)) return [];
    const absolute = own === undefined ? resolve(findProject(fromHere(file)), path) : fromHere(path);
    say(text`${name} is ${absolute}, because clients start servers in other folders.`);
    return [[name, absolute] as const];
  });
  return { ...given, ...Object.fromEntries(changed) };
}

/** Whether an entry starts a module, or did so before its project moved. */
function startsModule(entry: unknown, path: string): boolean {
  const { args } = (entry ?? {}) as { args?: unknown };
  if (!Array.isArray(args)) return false;
  const earlier = String(args.at(-1) ?? "");
  return args.includes(path) || (basename(earlier) === basename(path) && !existsSync(fromHere(earlier)));
}

function takenName(name: string, path: string, entry: unknown, proposed: string): CommandError {
  const { args, url } = (entry ?? {}) as { args?: unknown; url?: unknown };
  const other = Array.isArray(args) ? String(args.at(-1) ?? "") : String(url ?? "another server");
  return new CommandError(
    `${name} in ${path} is another server: ${other}. Nothing was changed. Add --name ${proposed} for this one, or --replace to replace that one.`,
  );
}

/** Returns a free name: that of the module's file, or of the folder of a build. */
function proposeName(file: string, entries: Members): string {
  const path = fromHere(file);
  const base = toServerName(basename(path, extname(path))) || "server";
  const own = /^(?:index|server|dist)$/.test(base) ? toServerName(basename(dirname(path))) || base : base;
  for (let count = 1; ; count++) {
    const name = count === 1 ? own : `${own}-${count}`;
    if (!Object.hasOwn(entries, name)) return name;
  }
}

function checkName(name: string): string {
  // Clients pass the name to their own commands, where a leading - would make it an option.
  if (/^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/.test(name)) return name;
  throw new CommandError(
    `Invalid server name ${JSON.stringify(name)}. Use 1 to 64 letters, digits, _ and -; the first is not -.`,
  );
}

/** Removes a server from a client's configuration. @throws {CommandError} if the configuration does not contain it. */
export async function uninstall(module: string, flags: ClientFlags): Promise<void> {
  await applyChange(flags, (entries, file) => {
    const name = Object.hasOwn(entries, module) ? module : findByPath(module, entries, flags.project ?? false);
    if (name !== undefined) return { name };
    const names = Object.keys(entries).join(", ");
    throw new CommandError(`${file} has no server ${JSON.stringify(module)}. Its servers: ${names || "none"}.`);
  });
}

/** Finds the entry that starts the module. It does not load the module, which may be broken or renamed by now. */
function findByPath(module: string, entries: Members, shared: boolean): string | undefined {
  if (!existsSync(fromHere(module))) return undefined;
  const path = toLaunch(module, shared, {}).args.at(-1);
  const found = Object.entries(entries).find(([, entry]) => {
    const { args } = (entry ?? {}) as { args?: unknown };
    return Array.isArray(args) && args.includes(path);
  });
  return found?.[0];
}

export interface ClientFlags {
  readonly client: ClientName;
  readonly project?: boolean;
  readonly dryRun?: boolean;
}

/** Returns the configuration file of a client. @throws {WrongUsage} if the client has no project configuration. */
function locateConfig({ client, project }: ClientFlags): { config: ClientConfig; file: string } {
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
async function applyChange(flags: ClientFlags, decide: (entries: Members, file: string) => EntryChange): Promise<void> {
  const { config, file } = locateConfig(flags);
  const change = await (flags.dryRun ? planConfig : changeConfig)(file, config, (entries) => decide(entries, file));
  const { before, after, hide, backup } = change;
  if (before === after) return say(text`${file} is already up to date.`);
  print(formatDifference(before, after, stylesFor(currentShell().stdout), hide));
  if (flags.dryRun) return say(text`\nDry run: ${file} was not changed.`);
  say(text`\nWrote ${file}${backup === undefined ? "" : `; the previous version is in ${backup}`}.`);
  say(text`${config.title}: ${config.nextStep}`);
}

/**
 * Compares variables with the settings of a server, and warns of names that it does not read, of required settings that
 * are missing, and of secrets in a file that is shared.
 * @throws {CommandError} for invalid values, without those of secrets.
 */
async function checkVariables(given: Variables, settings: ManifestSettings, isShared: boolean): Promise<void> {
  const { checkSettings, isRequired, isSecret } = await import("proffer/settings");
  const names = Object.keys(settings.properties);
  const present = names.filter((name) => Object.hasOwn(given, name));
  const properties = Object.fromEntries(present.map((name) => [name, settings.properties[name] ?? {}]));
  try {
    checkSettings({ type: "object", properties }, given);
  } catch (error) {
    if (error instanceof UsageError) throw new CommandError(Text.block(error.message), { cause: error });
    throw error;
  }
  for (const name of Object.keys(given).filter((each) => !names.includes(each))) {
    const similar = findSimilar(name, names);
    const hint = similar === undefined ? "" : ` Did you mean ${similar}?`;
    warn(`${name} is not a setting of this server.${hint}`);
  }
  for (const name of names.filter((each) => isRequired(settings, each) && !present.includes(each))) {
    warn(`The server does not start without ${name}. Add --env ${name}=value, unless the client sets it.`);
  }
  const secrets = present.filter((name) => isSecret(settings.properties[name] ?? {}));
  if (isShared && secrets.length > 0) {
    warn(`The configuration of a project is shared with others, and now contains ${secrets.join(", ")}.`);
  }
}
