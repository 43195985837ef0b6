import type { Styles } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";

/** The result of one check. */
export interface Finding {
  readonly level: "good" | "warning" | "error";
  /** Describes the result. */
  readonly message: string;
  /** How to fix the problem. */
  readonly remedy?: string;
}

/** Formats a finding for the terminal. */
export function formatFinding({ level, message, remedy }: Finding, { green, yellow, red, dim }: Styles): Text {
  const mark = { good: green("✓"), warning: yellow("!"), error: red("✗") }[level];
  const description = text`${mark} ${Text.block(message, "  ")}`;
  return remedy === undefined ? description : text`${description}\n  ${dim(remedy)}`;
}
