import type { Styles } from "../terminal/terminal.ts";

/** The result of one check. */
export interface Finding {
  readonly level: "good" | "warning" | "error";
  /** Describes the result. */
  readonly message: string;
  /** How to fix the problem. */
  readonly remedy?: string;
}

/** Formats a finding for the terminal. */
export function formatFinding({ level, message, remedy }: Finding, { green, yellow, red, dim }: Styles): string {
  const mark = { good: green("✓"), warning: yellow("!"), error: red("✗") }[level];
  return `${mark} ${message}${remedy === undefined ? "" : `\n  ${dim(remedy)}`}`;
}
