import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { ApiProblem, type ItemKind, type Place, type ServerCode, type SourceView } from "@proffer/inspector";
import type { ItemPositions, SourceRange } from "../derive/index.ts";
import { findProject } from "../modules/module-file.ts";
import { openEditor } from "./editor.ts";

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

  /** Takes over what is known of another version. */
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
    // Code has resources only; lists have templates too.
    const own = kind === "template" ? "resource" : kind;
    return this.#positions.find((each) => each.kind === own && each.key === key);
  }
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
