import { currentShell } from "../terminal/shell.ts";
import { clearStatus, showStatus } from "../terminal/status-line.ts";
import { say, stylesFor } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";

interface Progress {
  readonly progress?: unknown;
  readonly total?: unknown;
  readonly message?: unknown;
}

/** The columns of the bar. */
const WIDTH = 20;

/** Shows progress as a bar on stderr, until `endProgress`. */
export function showProgress({ progress: done, total, message }: Progress): void {
  const isKnown = typeof done === "number" && typeof total === "number" && total > 0;
  const part = isKnown ? Math.min(1, Math.max(0, done / total)) : undefined;
  showStatus(text`${bar(part)} ${describe(done, total, message)}`);
}

function bar(part: number | undefined): Text {
  if (part === undefined) return text`…`;
  const full = Math.round(part * WIDTH);
  const percent = String(Math.floor(part * 100)).padStart(3);
  return text`${"█".repeat(full)}${"░".repeat(WIDTH - full)} ${percent}%`;
}

function describe(done: unknown, total: unknown, message: unknown): string {
  if (typeof message === "string") return message;
  if (typeof done !== "number") return "";
  return typeof total === "number" ? `${done} of ${total}` : String(done);
}

/** Removes the bar before a result or a question is shown. The next progress report shows it again. */
export const endProgress = clearStatus;

interface LogParams {
  readonly level?: unknown;
  readonly logger?: unknown;
  readonly data?: unknown;
}

/** A longer text would hide the others. */
const MAX_LENGTH = 10_000;
const RED = new Set(["error", "critical", "alert", "emergency"]);

/** Shows a log message of the server on stderr. */
export function showLog({ level, logger, data }: LogParams): void {
  const { dim, cyan, yellow, red } = stylesFor(currentShell().stderr);
  const name = typeof level === "string" ? shorten(level) : "log";
  const paint = RED.has(name) ? red : name === "warning" ? yellow : name === "debug" ? dim : cyan;
  const source = typeof logger === "string" ? text` ${dim(shorten(logger))}` : text``;
  const message = typeof data === "string" ? Text.block(shorten(data), "  ") : shortenJson(data);
  say(Text.redact(text`${paint(name)}${source} ${message}`));
}

function shorten(value: string): string {
  return value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value;
}

function shortenJson(data: unknown): Text {
  return text`${shorten(String(Text.json(data)))}`;
}
