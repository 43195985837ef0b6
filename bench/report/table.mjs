/** Returns a Markdown table with aligned columns; numbers are right-aligned. */
export function table(heads, rows) {
  const texts = rows.map((row) => row.map((cell) => (typeof cell === "number" ? figure(cell) : cell)));
  const widths = heads.map((head, i) => Math.max(head.length, 3, ...texts.map((row) => row[i].length)));
  const rule = widths.map((width, i) => (i === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [heads, rule, ...texts].map((row) => `| ${row.map((cell, i) => pad(cell, widths[i], i)).join(" | ")} |`);
}

/** Formats a number with about three significant digits. */
export function figure(number) {
  if (Number.isNaN(number)) return "–";
  const size = Math.abs(number);
  if (size >= 100) return Math.round(number).toLocaleString("en");
  return number.toFixed(size >= 10 ? 1 : 2);
}

function pad(cell, width, column) {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
