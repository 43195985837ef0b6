import { UsageError } from "proffer";
import { findSimilar, type Manifest } from "proffer/derived";
import { CommandError, WrongUsage } from "../terminal/command-error.ts";
import { currentShell } from "../terminal/shell.ts";
import { say } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";

type Settings = NonNullable<Manifest["settings"]>;

/** Environment variables for a client's configuration. */
export type Variables = { readonly [name: string]: string };

/**
 * Parses the values of `--env`. A name without a value is copied from this process, so that a secret need not be part of
 * the command.
 * @throws {WrongUsage} for a name that is not set, or a name that no variable can have.
 */
export function parseVariables(pairs: readonly string[], env: NodeJS.ProcessEnv = currentShell().env): Variables {
  const entries = pairs.map((pair): [string, string] => {
    const at = pair.indexOf("=");
    if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
    const value = at === 0 ? undefined : env[pair];
    if (value !== undefined) return [pair, value];
    throw new WrongUsage(
      `Invalid value of --env: ${JSON.stringify(pair)}. Write name=value, or the name of a variable that is set.`,
    );
  });
  return Object.fromEntries(entries);
}

/**
 * Compares variables with the settings of a server, and warns of names that it does not read, of required settings that
 * are missing, and of secrets in a file that is shared.
 * @throws {CommandError} for invalid values, without those of secrets.
 */
export async function checkVariables(given: Variables, settings: Settings, isShared: boolean): Promise<void> {
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
    say(text`warning: ${name} is not a setting of this server.${hint}`);
  }
  for (const name of names.filter((each) => isRequired(settings, each) && !present.includes(each))) {
    say(text`warning: The server does not start without ${name}. Add --env ${name}=value, unless the client sets it.`);
  }
  const secrets = present.filter((name) => isSecret(settings.properties[name] ?? {}));
  if (isShared && secrets.length > 0) {
    say(text`warning: The configuration of a project is shared with others, and now contains ${secrets.join(", ")}.`);
  }
}
