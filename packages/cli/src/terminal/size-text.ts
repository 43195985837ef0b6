import type { ToolSize } from "../derive/model/tool-size.ts";
import { formatTable, type TableRow } from "./table.ts";
import type { Styles } from "./terminal.ts";
import type { Text } from "./text.ts";

/** Formats the sizes of tools, an aligned line for each, the largest first. Empty without tools. */
export function formatSizes(sizes: readonly ToolSize[], styles: Styles): Text {
  const sorted = [...sizes].sort((a, b) => b.bytes - a.bytes);
  const rows = sorted.map(
    ({ name, bytes, tokens, depth, recursive }): TableRow => [
      name,
      bytes.toLocaleString("en-US"),
      `~${tokens.toLocaleString("en-US")}`,
      `${depth}${recursive ? "+" : ""}`,
    ],
  );
  return formatTable("Sizes", ["bytes", "tokens", "depth"], rows, styles);
}
