import { lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { CallMethod, Draft } from "@proffer/inspector";
import { replaceFile } from "../install/atomic-file.ts";
import { CommandError } from "../terminal/command-error.ts";
import { isObject, parseJson } from "../terminal/json.ts";

export const CALL_METHODS: readonly CallMethod[] = ["tools/call", "resources/read", "prompts/get"];

const FOLDER = "inspect";
const NAME = /^[a-z0-9-]{1,64}$/;
const VERSION = 1;

/** A call that was saved beside a module, to be reviewed, committed and run again. */
type SavedCall = Draft & { readonly proffer: "call"; readonly version: number };

/**
 * Writes `inspect/<name>.json` beside the module and returns its path.
 * @throws {CommandError} for another name, or if the folder leads elsewhere.
 */
export function saveCall(module: string, name: string, draft: Draft): string {
  const file = fileOf(module, name);
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true });
  // Through a link, the file would land outside of the project.
  if (lstatSync(folder).isSymbolicLink())
    throw new CommandError(`${folder} is a symbolic link. Replace it by a folder.`);
  const { revision, method, params, answers, result } = draft;
  const saved: SavedCall = {
    proffer: "call",
    version: VERSION,
    revision,
    method,
    params,
    ...(answers && { answers }),
    ...(result && { result }),
  };
  const text = `${JSON.stringify(saved, undefined, 2)}\n`;
  replaceFile(file, text, lstatSync(file, { throwIfNoEntry: false }), () => true);
  return relative(process.cwd(), file);
}

/** Reads a saved call. @throws {CommandError} if there is none of that name, or the file is something else. */
export function readSavedCall(module: string, name: string): Draft {
  const file = fileOf(module, name);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new CommandError(`There is no saved call ${JSON.stringify(name)}. ${available(dirname(file))}`);
  }
  const draft = toDraft(text);
  if (draft !== undefined) return draft;
  throw new CommandError(`${file} is not a saved call of version ${VERSION}. Save the call again in the inspector.`);
}

function fileOf(module: string, name: string): string {
  if (!NAME.test(name)) {
    throw new CommandError(
      `Invalid name ${JSON.stringify(name)} of a saved call. Use 1 to 64 lower-case letters, digits and hyphens.`,
    );
  }
  return join(dirname(module), FOLDER, `${name}.json`);
}

function available(folder: string): string {
  let names: string[] = [];
  try {
    names = readdirSync(folder).flatMap((file) => (file.endsWith(".json") ? [file.slice(0, -5)] : []));
  } catch {}
  return names.length === 0 ? `${folder} has none; save one with ★ in the inspector.` : `Saved: ${names.join(", ")}.`;
}

function toDraft(text: string): Draft | undefined {
  const value = parseJson(text);
  if (!isObject(value) || value.proffer !== "call" || value.version !== VERSION) return undefined;
  const { revision, method, params, answers, result } = value;
  if (typeof revision !== "string" || !CALL_METHODS.includes(method as never) || !isObject(params)) return undefined;
  if (answers !== undefined && !(Array.isArray(answers) && answers.every(isObject))) return undefined;
  return result === undefined || isObject(result) ? (value as never) : undefined;
}
