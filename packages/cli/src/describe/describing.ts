import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { ManifestSettings } from "proffer/derived";
import { type Environment, isSecret } from "proffer/settings";
import { LoadError } from "../modules/import-module.ts";
import { CommandError, WrongUsage } from "../terminal/command-error.ts";
import { hideFromErrors } from "../terminal/redact.ts";
import { currentShell } from "../terminal/shell.ts";
import { text } from "../terminal/text.ts";
import { describeSettings } from "./placeholders.ts";

/** The registered symbol is shared with every copy of the run-time in a process. */
const DESCRIBING = Symbol.for("proffer.describing");
const holder = globalThis as { [DESCRIBING]?: unknown };

/** Gives the settings of each module that is imported from now on placeholders, except the given variables. */
export function describeFromNowOn(given: Environment): void {
  holder[DESCRIBING] = describeSettings.bind(undefined, given);
}

/**
 * Runs `work`, which imports a module only to describe it.
 * @param pairs - `--env name=value`: variables for a module that does not accept placeholders
 */
export function whileDescribing<Value>(pairs: readonly string[], work: () => Promise<Value>): Promise<Value> {
  return withVariables(pairs, async () => {
    describeFromNowOn(parseVariables(pairs));
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LoadError)) throw error;
      throw new CommandError(text`${error.text}\n${HINT}`, { cause: error });
    } finally {
      delete holder[DESCRIBING];
    }
  });
}

/** Runs `work`, which imports a module, with these variables in `process.env`. */
export async function withVariables<Value>(pairs: readonly string[], work: () => Promise<Value>): Promise<Value> {
  const given = parseVariables(pairs);
  const before = Object.fromEntries(Object.keys(given).map((name) => [name, process.env[name]]));
  Object.assign(process.env, given);
  try {
    return await work();
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

const HINT =
  "The command only describes the module, so its settings have placeholders. If the module refuses them, pass values with --env NAME=value.";

/** The arguments of Node with which a process describes a module. The variables of that process are given. */
export function describingArguments(): string[] {
  return ["--import", pathToFileURL(createRequire(import.meta.url).resolve("#describing-preload")).href];
}

/** Environment variables of the command line. */
export type Variables = { readonly [name: string]: string };

/** Reads `--env` flags. A name alone copies its value from here, so that a secret is not in the history of a shell. */
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

/** Hides the values of secret settings in the output of a process that this command quotes. */
export function hideSecrets(settings: ManifestSettings | undefined, env: Environment): void {
  for (const [name, setting] of Object.entries(settings?.properties ?? {})) {
    if (isSecret(setting)) hideFromErrors(env[name] ?? "");
  }
}
