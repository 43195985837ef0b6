import type { Styles } from "../terminal/terminal.ts";

/** One thing that was looked at. */
export interface Finding {
  readonly level: "good" | "warning" | "error";
  /** What was found. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** A finding for a person to read. */
export function formatFinding({ level, message, remedy }: Finding, { green, yellow, red, dim }: Styles): string {
  const mark = { good: green("✓"), warning: yellow("!"), error: red("✗") }[level];
  return `${mark} ${message}${remedy === undefined ? "" : `\n  ${dim(remedy)}`}`;
}
