import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { ApiProblem, type Place } from "@proffer/inspector";

/** A program and its arguments; never a line for a shell. */
export interface EditorCommand {
  readonly command: string;
  readonly args: readonly string[];
}

type LineArguments = (file: string, line: number, column: number) => readonly string[];

const gotoFlag: LineArguments = (file, line, column) => ["--goto", `${file}:${line}:${column}`];
const suffix: LineArguments = (file, line, column) => [`${file}:${line}:${column}`];
const plusLine: LineArguments = (file, line) => [`+${line}`, file];
const lineFlag: LineArguments = (file, line, column) => ["--line", String(line), "--column", String(column), file];

/** How editors are told a line, by the names of their programs. */
const EDITORS: { readonly [name: string]: LineArguments } = {
  code: gotoFlag,
  "code-insiders": gotoFlag,
  codium: gotoFlag,
  cursor: gotoFlag,
  windsurf: gotoFlag,
  zed: suffix,
  subl: suffix,
  hx: suffix,
  vi: plusLine,
  vim: plusLine,
  nvim: plusLine,
  gvim: plusLine,
  nano: plusLine,
  emacs: plusLine,
  emacsclient: plusLine,
  gedit: plusLine,
  kate: lineFlag,
  idea: lineFlag,
  webstorm: lineFlag,
};

/** Looked for if no variable names an editor: they open a window. */
const FALLBACKS = ["code", "cursor"];
/** They would draw in the terminal that `dev` runs in. */
const IN_TERMINAL = new Set(["vi", "vim", "nvim", "nano", "hx"]);

/**
 * Opens a place in the author's editor.
 * @param place - its file is an index of `files`. A path never comes from the page.
 * @param files - the files of the derivation, absolute.
 * @throws {ApiProblem} if there is no such file, or no editor that can open it.
 */
export async function openEditor(
  { file: index, line, column = 1 }: Place,
  files: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<EditorCommand> {
  const file = Number.isInteger(index) ? files[index] : undefined;
  if (file === undefined) throw noEditor(`There is no file ${String(index)}. Reload the page.`);
  const editor = findEditor(env);
  if (editor === undefined)
    throw noEditor(
      "No editor with a window was found. Set PROFFER_EDITOR, for example to code, and start the command again.",
    );
  const chosen = commandFor(editor, file, toNumber(line), toNumber(column));
  await start(chosen);
  return chosen;
}

/** Returns the words of the chosen editor: of a variable, or one that is installed. */
function findEditor(env: NodeJS.ProcessEnv): readonly string[] | undefined {
  const own = toWords(env.PROFFER_EDITOR);
  if (own !== undefined) return own;
  // $EDITOR is often one for a terminal, which `dev` uses itself.
  const usual = [toWords(env.VISUAL), toWords(env.EDITOR)].find(
    (words) => words !== undefined && !IN_TERMINAL.has(nameOf(words[0] ?? "")),
  );
  if (usual !== undefined) return usual;
  const installed = FALLBACKS.flatMap((name) => candidatePaths(name, env)).find(isExecutable);
  return installed === undefined ? undefined : [installed];
}

/** Splits the value of a variable into words. Quotes keep spaces together, as in a path; nothing else is special. */
function toWords(value: string | undefined): readonly string[] | undefined {
  const words = [...(value ?? "").matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
  return words.length === 0 ? undefined : words;
}

function commandFor(words: readonly string[], file: string, line: number, column: number): EditorCommand {
  const [command = "", ...args] = words;
  const known = EDITORS[nameOf(command)];
  return { command, args: [...args, ...(known === undefined ? [file] : known(file, line, column))] };
}

function nameOf(command: string): string {
  return basename(command.replaceAll("\\", "/"))
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat)$/, "");
}

/** On Windows, Node does not start a `.cmd` without a shell. */
function candidatePaths(name: string, { PATH = "" }: NodeJS.ProcessEnv): string[] {
  const folders = PATH.split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, process.platform === "win32" ? `${name}.exe` : name));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Lines and columns come from the page. */
function toNumber(value: number): number {
  return Number.isSafeInteger(value) && value > 0 ? value : 1;
}

/** Starts a program without a shell, and does not wait for its end. */
function start({ command, args }: EditorCommand): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: "ignore", detached: true });
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
    child.once("error", (error: NodeJS.ErrnoException) => {
      const reason = error.code === "ENOENT" ? "was not found" : `could not be started: ${error.message}`;
      reject(noEditor(`The editor ${command} ${reason}. Set PROFFER_EDITOR to the path of an editor.`));
    });
  });
}

function noEditor(message: string): ApiProblem {
  return new ApiProblem(400, "no_editor", message);
}
