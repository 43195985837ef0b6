import type { Styles } from "./terminal.ts";
import { Text, text } from "./text.ts";

/** Characters that a terminal shows in two columns: East Asian wide and fullwidth ones, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
/** Characters that change the one before them: combining marks, variation selectors and joiners. */
const ZERO = /\p{M}|[\u200b-\u200d]/u;

/** Returns the number of columns that a text needs on a terminal. The text has no control characters. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

function columnsOf(character: string): number {
  if (character < "\u0300") return 1;
  if (ZERO.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Shortens a text that needs more columns. */
export function truncate(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  return `${takeColumns(text, columns - 1)}…`;
}

/** Breaks a text into lines at spaces; a longer word is broken where the line ends. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter((each) => each !== "")) {
    const joined = line === "" ? word : `${line} ${word}`;
    if (widthOf(joined) <= columns) {
      line = joined;
      continue;
    }
    if (line !== "") lines.push(line);
    line = word;
    while (widthOf(line) > columns) {
      const part = takeColumns(line, columns);
      lines.push(part);
      line = line.slice(part.length);
    }
  }
  return line === "" ? lines : [...lines, line];
}

/** Returns the start of a text, and at least one character of it. */
function takeColumns(text: string, columns: number): string {
  let taken = "";
  let width = 0;
  for (const character of text) {
    width += columnsOf(character);
    if (width > columns && taken !== "") return taken;
    taken += character;
  }
  return taken;
}

/** A name and its cells, aligned to the right. */
export type TableRow = readonly [name: string, ...cells: string[]];

/** Formats a table with aligned columns. Empty without rows. */
export function formatTable(
  title: string,
  heads: readonly string[],
  rows: readonly TableRow[],
  { bold, dim, cyan }: Styles,
): Text {
  if (rows.length === 0) return text``;
  const names = rows.map(([name]) => String(text`${name}`));
  const widest = Math.max(title.length - 2, ...names.map(widthOf));
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map(([, ...cells]) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) => cells.map((cell, i) => cell.padStart((widths[i] ?? 0) + 2)).join("");
  const head = text`${bold(title)}${" ".repeat(widest + 2 - title.length)}${dim(line(heads))}`;
  const lines = rows.map(([, ...cells], index) => {
    const name = names[index] ?? "";
    return text`  ${cyan(name)}${" ".repeat(widest - widthOf(name))}${line(cells)}`;
  });
  return Text.join([head, ...lines], "\n");
}
