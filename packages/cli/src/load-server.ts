import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { register } from "node:module";
import { extname, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { isServer, type Server } from "proffer";
import { CommandError } from "./command-error.ts";

const typeScript = new Set([".ts", ".mts"]);
const javaScript = new Set([".js", ".mjs"]);

/**
 * Imports a module and returns the server that it default-exports. TypeScript is transpiled, not checked.
 * @param file - a path, relative to the current directory.
 * @throws CommandError which names the file and the remedy.
 */
export async function loadServer(file: string): Promise<Server> {
  const path = resolve(file);
  checkFile(file, path);
  if (typeScript.has(extname(path))) registerTranspiler();
  const module = await importModule(file, path);
  if (!("default" in module)) {
    throw new CommandError(`${file} has no default export. Add one: export default defineServer({ ... });`);
  }
  if (!isServer(module.default)) {
    throw new CommandError(
      `the default export of ${file} is ${kindOf(module.default)}, not a server. Export what defineServer({ ... }) returns.`,
    );
  }
  return module.default;
}

function checkFile(file: string, path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) {
    throw new CommandError(
      `${file} does not exist (looked for ${path}). The path is relative to the current directory.`,
    );
  }
  if (!stats.isFile())
    throw new CommandError(`${file} is not a file. Name the module in it, for example ${file}/server.ts`);
  if (typeScript.has(extname(path)) || javaScript.has(extname(path))) return;
  throw new CommandError(`${file} is not a module. Name a .ts, .mts, .js or .mjs file.`);
}

let registered = false;

function registerTranspiler(): void {
  if (registered) return;
  registered = true;
  process.setSourceMapsEnabled(true);
  register("#transpile", import.meta.url);
}

async function importModule(file: string, path: string): Promise<object> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    const detail = error instanceof SyntaxError ? (whereInvalid(path) ?? trace(error)) : trace(error);
    throw new CommandError(`${file} failed while it was loaded. Mend this and start again:\n${detail}`, {
      cause: error,
    });
  }
}

/** Node tells the place of a syntax error only when it prints one itself, so another Node is made to print it. */
function whereInvalid(path: string): string | undefined {
  if (!javaScript.has(extname(path))) return undefined;
  const { stderr } = spawnSync(process.execPath, ["--check", path], { encoding: "utf8" });
  return stderr === "" ? undefined : withoutInternals(stderr);
}

function trace(error: unknown): string {
  if (!(error instanceof Error)) return `it threw ${String(error)}`;
  return withoutInternals(error.stack ?? error.message);
}

/** Cuts a stack where it leaves the author's code: below the first frame of Node's loader there is only ours. */
function withoutInternals(stack: string): string {
  return stack.replace(/\n +at [^\n]*node:internal.*$/s, "");
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (value === undefined) return "undefined";
  return `a ${typeof value}`;
}
