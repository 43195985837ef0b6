import type { Members } from "../terminal/json.ts";
import { currentShell } from "../terminal/shell.ts";
import { clearStatus, say, showStatus, stylesFor } from "../terminal/terminal.ts";
import { shorten, Text, text } from "../terminal/text.ts";

/** The columns of the bar. */
const WIDTH = 20;

/** Shows progress as a bar on stderr, until `endProgress`. */
export function showProgress({ progress: done, total, message }: Members): void {
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

/** A longer text would hide the others. */
const MAX_LENGTH = 10_000;
const RED = new Set(["error", "critical", "alert", "emergency"]);

/** Shows a log message of the server on stderr. */
export function showLog({ level, logger, data }: Members): void {
  const { dim, cyan, yellow, red } = stylesFor(currentShell().stderr);
  const name = typeof level === "string" ? shorten(level, MAX_LENGTH) : "log";
  const paint = RED.has(name) ? red : name === "warning" ? yellow : name === "debug" ? dim : cyan;
  const source = typeof logger === "string" ? text` ${dim(shorten(logger, MAX_LENGTH))}` : text``;
  const message =
    typeof data === "string"
      ? Text.block(shorten(data, MAX_LENGTH), "  ")
      : text`${shorten(String(Text.json(data)), MAX_LENGTH)}`;
  say(Text.redact(text`${paint(name)}${source} ${message}`));
}
