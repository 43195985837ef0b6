import { toShortPath } from "../terminal/diagnostic-report.ts";
import type { Styles } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";
import type { ToolCost } from "./examine-cost.ts";

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

/** The checks of a server's texts, schemas and code. docs/doctor.md has an example of each. A code is never reused. */
export const CHECKS = {
  PF4001: "The tools cost more tokens than the budget",
  PF4002: "A tool costs more tokens than the budget",
  PF4003: "The budget in package.json is not valid",
  PF4004: "The tools cost more than 10,000 tokens, and there is no budget",
  PF4010: "There is no description",
  PF4011: "The first line is longer than 120 characters",
  PF4012: "The description says no more than the name",
  PF4013: "The first line does not begin with a verb",
  PF4014: "A description is longer than 2 kB",
  PF4020: "Two tools are hard to tell apart",
  PF4030: "A parameter has no description",
  PF4031: "A parameter describes its values in words",
  PF4032: "A tool has more than 8 parameters",
  PF4033: "A parameter is an id that nothing returns",
  PF4034: "A flag makes another tool of it",
  PF4040: "A schema has more than 4 levels",
  PF4041: "A schema is larger than 5,000 bytes",
  PF4042: "A union has more than 5 alternatives",
  PF4043: "A parameter accepts any object",
  PF4050: "A result has no output schema",
  PF4051: "A list of results has no limit",
  PF4052: "A result contains bytes",
  PF4060: "A function throws an error that no model will read",
  PF4070: "A name says that a tool changes something, and its annotation that it only reads",
  PF4071: "A name says that a tool changes something, and it has no annotation",
  PF4072: "A name says that a tool only reads, and its annotation that it destroys",
  PF4080: "Work before a question is repeated",
  PF4090: "A resource cannot be a tool, because other tools have its names",
} as const;

export type CheckCode = keyof typeof CHECKS;
