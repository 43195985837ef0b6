import { escapeCharacter, setLogFormat } from "../support/log.ts";

/** How the log is written: one JSON object per line, or lines for people. */
export type LogFormat = "json" | "pretty";

/** Writes the log of all servers in this process in a format. Default: for people on a terminal, otherwise as JSON. */
export function formatLog(format: LogFormat = process.stderr.isTTY ? "pretty" : "json"): void {
  const isColored = process.stderr.isTTY && process.stderr.hasColors();
  setLogFormat(format === "json" ? undefined : (line) => prettyLine(line, isColored));
}

/** Control characters and bidirectional controls, which could forge, hide or reorder lines on a terminal. */
const UNSAFE = /\p{Cc}|[\p{Bidi_Control}\u2028\u2029]/gu;
const RESET = "\u001b[0m";
const STYLES = { dim: "\u001b[2m", info: "\u001b[36m", warning: "\u001b[33m", error: "\u001b[31m" } as const;
/** The levels have the same width. */
const LEVEL_WIDTH = "warning".length;
/** A longer value is cut: one entry should not fill the screen. */
const MAX_VALUE = 300;

interface Described {
  readonly stack?: string;
  readonly name?: string;
  readonly message?: string;
  readonly cause?: Described | string;
}

/**
 * Formats an entry of the log for people: time, level, message and details on one line, then the error with its causes,
 * indented.
 * @param json - the entry as one line of JSON, in which credentials are redacted.
 */
export function prettyLine(json: string, isColored: boolean): string {
  const { time, level, message, error, ...details } = JSON.parse(json);
  const paint = (style: string | undefined, text: string) => (isColored && style ? `${style}${text}${RESET}` : text);
  const clock = new Date(time).toTimeString().slice(0, "hh:mm:ss".length);
  const shown = Object.entries(details).map(([name, value]) => `  ${clean(`${name}=${toText(value)}`)}`);
  const label = paint(STYLES[level as keyof typeof STYLES], clean(String(level)).padEnd(LEVEL_WIDTH));
  const head = `${paint(STYLES.dim, clock)} ${label} ${clean(String(message))}${paint(STYLES.dim, shown.join(""))}`;
  return error === undefined ? head : `${head}\n${indent(describe(error))}`;
}

/** The stack has the name and the message in its first line. */
function describe(error: Described | string): string {
  if (typeof error === "string") return error;
  const { stack, name, message, cause } = error;
  const own = stack ?? `${name}: ${message}`;
  return cause === undefined ? own : `${own}\ncaused by ${describe(cause)}`;
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${clean(line)}`)
    .join("\n");
}

function toText(value: unknown): string {
  const text = typeof value === "string" && !/[\s"=]/.test(value) ? value : JSON.stringify(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

function clean(text: string): string {
  return text.replace(UNSAFE, escapeCharacter);
}
