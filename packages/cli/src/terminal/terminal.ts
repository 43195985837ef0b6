import { reserveStdout } from "proffer/stdio";
import { CommandError } from "./command-error.ts";
import { prettyJson } from "./json.ts";
import { truncate } from "./layout.ts";
import { currentShell, type Output } from "./shell.ts";
import { STYLES, type StyleName, Text, text } from "./text.ts";

export type Styles = { readonly [Name in StyleName]: (value: string | Text) => Text } & {
  /** The width of the terminal. Undefined if the output goes to a pipe or a file: a program reads it. */
  readonly columns: number | undefined;
};

/** A pseudo-terminal may have no size. */
const DEFAULT_COLUMNS = 80;

/** Returns the styles for a stream: plain text unless it is a terminal with colors, or FORCE_COLOR is set. */
export function stylesFor(stream: Output): Styles {
  const isPlain = !hasColors(stream);
  const style = (name: StyleName) => (value: string | Text) => (isPlain ? text`${value}` : Text.style(name, value));
  const styles = Object.fromEntries(STYLES.map((name) => [name, style(name)])) as Omit<Styles, "columns">;
  return { ...styles, columns: stream.isTTY === true ? stream.columns || DEFAULT_COLUMNS : undefined };
}

/** Node looks at NO_COLOR, FORCE_COLOR and TERM, but only for a terminal. */
function hasColors(stream: Output): boolean {
  if (stream.isTTY === true) return stream.hasColors?.() ?? true;
  const { FORCE_COLOR } = currentShell().env;
  return FORCE_COLOR !== undefined && FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
}

let isJson = false;

/** Writes the messages of this process as entries of the log, for `--log json`. */
export function sayAsJson(): void {
  isJson = true;
}

/** Prints a message to stderr. Stdout contains only results. */
export function say(message: Text, level = "info"): void {
  const line = isJson ? JSON.stringify({ time: new Date().toISOString(), level, message: String(message) }) : message;
  currentShell().stderr.write(`${line}\n`);
}

/** Prints a warning to stderr. */
export function warn(message: string): void {
  if (isJson) say(text`${message}`, "warning");
  else say(text`warning: ${message}`);
}

/** Writes text of another process to stderr as it arrives. */
export function passOn(text: Text): void {
  currentShell().stderr.write(String(text));
}

/** Prints a result to stdout. */
export function print(result: Text): void {
  write(`${result}\n`);
}

/** Prints lines to stdout. */
export function printLines(lines: readonly string[]): void {
  for (const line of lines) print(text`${line}`);
}

/** Prints a result to stdout as JSON. Only a terminal gets colors, because programs read JSON. */
export function printJson(value: unknown): void {
  const json = Text.json(value, 2);
  const styles = stylesFor(currentShell().stdout);
  print(styles.columns === undefined ? json : (prettyJson(String(json), styles) ?? json));
}

/** Writes to stdout, also while it is reserved against output of the author's module. */
export function write(text: string): void {
  const { stdout } = currentShell();
  (stdout === process.stdout ? reserveStdout() : stdout).write(text);
}

let problem: Error | undefined;

/**
 * Continues when the reader of stdout or stderr is gone, as in `proffer list tools.ts | head`: the rest of the output
 * has no reader, and an unhandled `error` event would end the process with a stack trace.
 */
export function tolerateClosedPipes(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") problem ??= error;
  });
  process.stderr.on("error", () => {});
}

/**
 * Resolves when the output has left the process. A pipe takes 64 KiB at a time, and `process.exit` drops the rest.
 * @throws {CommandError} if stdout could not be written, for example because the disk is full.
 */
export async function flushOutput(): Promise<void> {
  const flushed = [reserveStdout(), process.stderr].map(
    (stream) => new Promise<void>((resolve) => stream.write("", () => resolve())),
  );
  await Promise.all(flushed);
  if (problem !== undefined) throw new CommandError(`The output could not be written: ${problem.message}`);
}

/** Returns to the start of the line and erases it. */
const ERASE = "\r\u001b[2K";

type Write = typeof process.stderr.write;

/** The text of the line, also while other output hides it. */
let status = "";
let isShown = false;
let rawWrite: Write | undefined;

/**
 * Prepares stderr for a line that is shown only for a while, below all other output. Other output erases it first, from
 * the module in this process too, so call this before code that keeps `process.stderr.write`.
 */
export function prepareStatusLine(): void {
  if (process.stderr.isTTY !== true || rawWrite !== undefined) return;
  const original: Write = process.stderr.write.bind(process.stderr);
  rawWrite = original;
  process.stderr.write = ((...args: Parameters<Write>) => {
    if (status === "") return original(...args);
    erase();
    const result = original(...args);
    // The rest of an unfinished line would follow the status.
    if (String(args[0]).endsWith("\n")) draw();
    return result;
  }) as Write;
  process.once("exit", clearStatus);
}

/** Shows a status on a terminal, in place of the last one. */
export function showStatus(text: Text): void {
  if (rawWrite === undefined) return;
  erase();
  // A longer line would be wrapped, and only its last part could be erased.
  status = truncate(String(text), (process.stderr.columns || 80) - 1);
  draw();
}

/** Erases the status, so that nothing is left of it. */
export function clearStatus(): void {
  erase();
  status = "";
}

function draw(): void {
  rawWrite?.(status);
  isShown = true;
}

function erase(): void {
  if (isShown) rawWrite?.(ERASE);
  isShown = false;
}
