import type { Module } from "proffer/derived";
import { CommandError } from "../terminal/command-error.ts";

/**
 * Imports the author's JavaScript. Stacks show the places in the author's sources.
 * @param file - what to call the module in messages.
 * @throws {CommandError} that shows what the module threw.
 */
export function importModule(file: string, url: string): Promise<Module> {
  return explainLoad(file, () => import(url));
}

/**
 * Loads the author's JavaScript in some way, as `importModule` does.
 * @throws {CommandError} that shows what the module threw.
 */
export async function explainLoad(file: string, load: () => Promise<Module>): Promise<Module> {
  process.setSourceMapsEnabled(true);
  try {
    return await load();
  } catch (cause) {
    throw new CommandError(
      `${file} failed while it was loaded. Mend this and start again:\n${trace(cause)}${hintFor(cause)}`,
      { cause },
    );
  }
}

function trace(error: unknown): string {
  if (!(error instanceof Error)) return `it threw ${String(error)}`;
  return withoutInternals(error.stack ?? error.message);
}

/**
 * Cuts a stack where it leaves the author's code: below the first frame of Node's loader there is only ours. Frames of
 * emitted files that have no place in a source are not the author's either.
 */
function withoutInternals(stack: string): string {
  return stack.replace(/\n +at [^\n]*node:internal.*$/s, "").replace(/\n +at [^\n]*[\\/]\.proffer[\\/][^\n]*/g, "");
}

function hintFor(error: unknown): string {
  const isUninitialised = error instanceof ReferenceError && error.message.includes("before initialization");
  if (!isUninitialised) return "";
  return "\nTwo modules that import each other may be the reason: move what both need into a third one.";
}
