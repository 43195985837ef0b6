import type { Styles } from "./terminal.ts";
import { Text, text } from "./text.ts";
import { widthOf } from "./width.ts";

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
