import { toShortPath } from "../terminal/diagnostic-report.ts";
import type { Styles } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";
import type { CheckCode } from "./checks.ts";
import type { ToolCost } from "./tool-cost.ts";

/** The item that a finding is about. */
export interface FoundItem {
  readonly kind: "tool" | "prompt" | "resource" | "template";
  /** The name of a tool or prompt, the URI of a resource, the URI template of a template. */
  readonly key: string;
}

/** The result of one check. */
export interface Finding {
  readonly level: "good" | "warning" | "error";
  /** Describes the result. */
  readonly message: string;
  /** How to fix the problem. */
  readonly remedy?: string;
  /** One of `CHECKS`, or the code of a diagnostic. */
  readonly code?: CheckCode | (string & {});
  /** An absolute path, and a line that starts at 1. */
  readonly file?: string;
  readonly line?: number;
  /** Absent for findings about the whole server. */
  readonly item?: FoundItem;
  /** What the tools cost, most expensive first. */
  readonly cost?: { readonly tokens: number; readonly tools: readonly ToolCost[] };
}

/** Formats a finding for the terminal. */
export function formatFinding(finding: Finding, { green, yellow, red, dim }: Styles): Text {
  const { level, message, remedy, code, file, line } = finding;
  const mark = { good: green("✓"), warning: yellow("!"), error: red("✗") }[level];
  const place = file === undefined ? text`` : text`${toShortPath(file)}:${line ?? 1} `;
  const name = code === undefined ? text`` : text`${dim(code)} `;
  const description = text`${mark} ${place}${name}${Text.block(message, "  ")}`;
  return remedy === undefined ? description : text`${description}\n  ${dim(remedy)}`;
}
