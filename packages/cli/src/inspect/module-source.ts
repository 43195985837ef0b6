import { spawn } from "node:child_process";
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { basename, delimiter, join, relative } from "node:path";
import { ApiProblem, type ItemKind, type Place, type ServerCode, type SourceView } from "@proffer/inspector";
import type { ItemPositions, SourceRange } from "../derive/index.ts";
import { findProject } from "../modules/module-file.ts";

/** The code of a module: its files, and where its items come from. */
export class ModuleSource implements ServerCode {
  /** The folder that the names of files are relative to. */
  readonly project: string;
  #files: readonly string[];
  #positions: readonly ItemPositions[] = [];
  readonly #locate: () => Promise<unknown>;

  /**
   * @param module - an absolute path.
   * @param locate - updates this before the code of an item is shown, if it is not kept up to date anyway.
   */
  constructor(module: string, locate: () => Promise<unknown> = async () => {}) {
    this.project = findProject(module);
    this.#files = [module];
    this.#locate = locate;
  }

  /** Takes over the files and positions of another version. */
  update(files: readonly string[], positions: readonly ItemPositions[]): void {
    this.#files = files;
    this.#positions = positions;
  }

  files(): readonly string[] {
    return toFileNames(this.#files, this.project);
  }

  placeOf(kind: ItemKind, key: string): Place | undefined {
    const range = this.#find(kind, key)?.places.find(({ pointer }) => pointer === "")?.range;
    const file = range === undefined ? undefined : this.indexOf(range.file);
    return range === undefined || file === undefined ? undefined : { file, line: range.line, column: range.column };
  }

  indexOf(file: string): number | undefined {
    const index = this.#files.indexOf(file);
    return index === -1 ? undefined : index;
  }

  /** @throws {ApiProblem} if the code of the item was not found. */
  async view(kind: ItemKind, key: string): Promise<SourceView> {
    await this.#locate();
    const found = this.#find(kind, key);
    if (found !== undefined) return toSourceView(found, this.#files);
    throw new ApiProblem(404, "no_source", `The code of this ${kind} was not found.`);
  }

  /** Opens the author's editor. @throws {ApiProblem} if there is none, or no such file. */
  async open(place: Place): Promise<void> {
    await openEditor(place, this.#files);
  }

  #find(kind: ItemKind, key: string): ItemPositions | undefined {
    return findItem(this.#positions, kind, key);
  }
}

/** Finds the positions of an item. Code has resources only; lists have templates too. */
export function findItem(positions: readonly ItemPositions[], kind: ItemKind, key: string): ItemPositions | undefined {
  const own = kind === "template" ? "resource" : kind;
  return positions.find((each) => each.kind === own && each.key === key);
}

/** Bounds of one view. */
const MAX_LINES = 600;
const MAX_LINE = 500;
const MAX_FILE = 4 * 1024 * 1024;

/**
 * Shows the code of an item and of its types, with the places of its parts.
 * @param files - the files of the derivation, absolute. Nothing else is read, and a place is named by its index here.
 */
export function toSourceView({ places, pieces }: ItemPositions, files: readonly string[]): SourceView {
  const linesOf = openLines();
  let left = MAX_LINES;
  const shown = withoutContained(pieces).flatMap((range) => {
    const file = files.indexOf(range.file);
    const count = Math.min(left, range.endLine - range.line + 1);
    if (file < 0 || count <= 0) return [];
    const lines = linesOf(range.file).slice(range.line - 1, range.line - 1 + count);
    left -= lines.length;
    return [{ file, first: range.line, lines: lines.map((line) => cut(line)) }];
  });
  return {
    pieces: shown,
    places: places.flatMap(({ pointer, range: { file: path, line, column, endLine } }) => {
      const file = files.indexOf(path);
      return file < 0 ? [] : [{ pointer, place: { file, line, column }, endLine }];
    }),
  };
}

/** Leaves out pieces inside of others, such as a type that a function declares. */
function withoutContained(pieces: readonly SourceRange[]): SourceRange[] {
  const contains = (outer: SourceRange, inner: SourceRange) =>
    outer.file === inner.file && outer.line <= inner.line && outer.endLine >= inner.endLine;
  // Of two pieces on the same lines, the first stays.
  return pieces.filter(
    (piece, at) =>
      !pieces.some((other, n) => contains(other, piece) && (n < at || (n > at && !contains(piece, other)))),
  );
}

/** Reads each file once. A file that is gone, or that is no source, has no lines. */
export function openLines(): (path: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (path) => {
    const lines = known.get(path) ?? readLines(path);
    known.set(path, lines);
    return lines;
  };
}

function readLines(path: string): readonly string[] {
  try {
    const text = readFileSync(path, "utf8");
    return text.length > MAX_FILE ? [] : text.split(/\r?\n/);
  } catch {
    return [];
  }
}

export function cut(line: string): string {
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}

/** Names files for the page, relative to the project. A file outside of it, as in a monorepo, begins with `..`. */
export function toFileNames(files: readonly string[], project: string): string[] {
  return files.map((file) => relative(project, file).replaceAll("\\", "/"));
}

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

/** The arguments with which editors open a line, and the names of their programs. */
const EDITORS: readonly (readonly [LineArguments, string])[] = [
  [gotoFlag, "code code-insiders codium cursor windsurf"],
  [suffix, "zed subl hx"],
  [plusLine, "vi vim nvim gvim nano emacs emacsclient gedit"],
  [lineFlag, "kate idea webstorm"],
];

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
  const [known] = EDITORS.find(([, names]) => names.split(" ").includes(nameOf(command))) ?? [];
  return { command, args: [...args, ...(known?.(file, line, column) ?? [file])] };
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
