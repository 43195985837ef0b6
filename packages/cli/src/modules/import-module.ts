import type { Manifest, Module } from "proffer/derived";
import { CommandError } from "../terminal/command-error.ts";
import { Text, text } from "../terminal/text.ts";

/** A module threw while it was imported. */
export class LoadError extends CommandError {
  override readonly name = "LoadError";
}

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
    throw new LoadError(text`${file} failed to load:\n${Text.block(`${trace(cause)}${hintFor(cause, file)}`)}`, {
      cause,
    });
  }
}

/**
 * Returns the stack trace of an error without internal frames: everything from the first frame of Node's loader on, and
 * frames in emitted files that no source line maps to. So are parts of messages that name emitted files.
 */
function trace(error: unknown): string {
  if (!(error instanceof Error)) return `The module threw ${String(error)}`;
  const stack = error.stack ?? error.message;
  return stack
    .replace(/\n +at [^\n]*node:internal.*$/s, "")
    .replace(/\n +at [^\n]*[\\/]\.proffer[\\/][^\n]*/g, "")
    .replace(/ imported from [^\n]*[\\/]\.proffer[\\/][^\n]*/g, "")
    .replace(/\nThis file is being treated as an ES module because [^\n]*/, "");
}

/** The replacements of names that only CommonJS has. */
const INSTEAD: Readonly<Record<string, string>> = {
  require:
    "Write import, or create it: const require = createRequire(import.meta.url), with createRequire of node:module.",
  __dirname: "Write import.meta.dirname.",
  __filename: "Write import.meta.filename.",
};

function hintFor(error: unknown, file: string): string {
  if (!(error instanceof Error)) return "";
  const { message } = error;
  if (error instanceof ReferenceError && message.includes("before initialization"))
    return "\nThe cause may be a circular import. Move the code that both modules need into a third module.";
  const [, name] = /^(\w+) is not defined in ES module scope/.exec(message) ?? [];
  if (name !== undefined) {
    const exports = "Write export instead of exports, or rename a .js file to .cjs.";
    return `\nModules are served as ES modules, in which '${name}' of CommonJS does not exist. ${INSTEAD[name] ?? exports}`;
  }
  const [, missing = ""] = /^Cannot find package '([^']+)'/.exec(message) ?? [];
  const [installed] = /^(?:@[\w.-]+\/)?[\w.-]+/.exec(missing) ?? [];
  return installed === undefined
    ? ""
    : `\n${file}, or a file that it imports, needs this package. Run: npm install ${installed}`;
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
