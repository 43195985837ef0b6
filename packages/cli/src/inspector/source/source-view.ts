import { readFileSync } from "node:fs";
import type { ItemPositions, SourceRange } from "../../derive/index.ts";
import type { SourceView } from "../protocol/api.ts";

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
    const lines = known.get(path) ?? read(path);
    known.set(path, lines);
    return lines;
  };
}

function read(path: string): readonly string[] {
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
