import { currentShell } from "../terminal/shell.ts";
import { say, stylesFor } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";

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
