import type { ToolSize } from "../derive/model/schema-size.ts";
import type { Styles } from "./terminal.ts";
import { Text, text } from "./text.ts";
import { widthOf } from "./width.ts";

const HEADS = ["bytes", "tokens", "depth"];

/** Formats the sizes of tools, an aligned line for each, the largest first. Empty without tools. */
export function formatSizes(sizes: readonly ToolSize[], { bold, dim, cyan }: Styles): Text {
  if (sizes.length === 0) return text``;
  const sorted = [...sizes].sort((a, b) => b.bytes - a.bytes);
  const rows = sorted.map(({ bytes, tokens, depth, recursive }) => [
    bytes.toLocaleString("en-US"),
    `~${tokens.toLocaleString("en-US")}`,
    `${depth}${recursive ? "+" : ""}`,
  ]);
  const names = sorted.map(({ name }) => String(text`${name}`));
  const widest = Math.max("Sizes".length - 2, ...names.map(widthOf));
  const widths = HEADS.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => cells.map((cell, i) => cell.padStart((widths[i] ?? 0) + 2)).join("");
  const head = text`${bold("Sizes")}${" ".repeat(widest - 3)}${dim(line(HEADS))}`;
  const lines = rows.map((row, index) => {
    const name = names[index] ?? "";
    return text`  ${cyan(name)}${" ".repeat(widest - widthOf(name))}${line(row)}`;
  });
  return Text.join([head, ...lines], "\n");
}
