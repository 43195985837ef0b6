import { existsSync } from "node:fs";
import { applyChange, type ClientFlags } from "../install/apply.ts";
import { toLaunch } from "../install/launch.ts";
import { CommandError } from "../terminal/command-error.ts";
import { fromHere } from "../terminal/shell.ts";

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
function findByPath(
  module: string,
  entries: { readonly [name: string]: unknown },
  shared: boolean,
): string | undefined {
  if (!existsSync(fromHere(module))) return undefined;
  const path = toLaunch(module, shared, {}).args.at(-1);
  const found = Object.entries(entries).find(([, entry]) => {
    const { args } = (entry ?? {}) as { args?: unknown };
    return Array.isArray(args) && args.includes(path);
  });
  return found?.[0];
}
