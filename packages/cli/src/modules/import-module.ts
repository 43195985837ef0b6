import type { Manifest, Module } from "proffer/derived";
import { CommandError } from "../terminal/command-error.ts";
import { Text, text } from "../terminal/text.ts";

/**
 * Imports a module. Stack traces show lines of the TypeScript sources.
 * @param file - the module's name in messages.
 * @throws {CommandError} with the stack trace if the module throws.
 */
export function importModule(file: string, url: string): Promise<Module> {
  return explainLoad(file, () => import(url));
}

/**
 * Runs `load` and explains its failure like `importModule` does.
 * @throws {CommandError} with the stack trace if the module throws.
 */
export async function explainLoad(file: string, load: () => Promise<Module>): Promise<Module> {
  process.setSourceMapsEnabled(true);
  try {
    return await load();
  } catch (cause) {
    throw new CommandError(text`${file} failed to load:\n${Text.block(`${trace(cause)}${hintFor(cause)}`)}`, { cause });
  }
}

/**
 * Returns the stack trace of an error without internal frames: everything from the first frame of Node's loader on, and
 * frames in emitted files that no source line maps to.
 */
function trace(error: unknown): string {
  if (!(error instanceof Error)) return `The module threw ${String(error)}`;
  const stack = error.stack ?? error.message;
  return stack.replace(/\n +at [^\n]*node:internal.*$/s, "").replace(/\n +at [^\n]*[\\/]\.proffer[\\/][^\n]*/g, "");
}

function hintFor(error: unknown): string {
  const isUninitialised = error instanceof ReferenceError && error.message.includes("before initialization");
  if (!isUninitialised) return "";
  return "\nThe cause may be a circular import. Move the code that both modules need into a third module.";
}

/**
 * Checks the environment variables that a module needs, before it is imported. A module without settings loads nothing.
 * @throws {UsageError} with all problems at once.
 */
export async function checkModuleSettings({
  settings,
}: {
  readonly settings?: Manifest["settings"] | undefined;
}): Promise<void> {
  if (settings === undefined) return;
  const { checkSettings } = await import("proffer/settings");
  checkSettings(settings);
}
