import { guardStdout } from "proffer/stdio";
import { CommandError } from "./command-error.ts";
import { currentShell, type Output } from "./shell.ts";
import { type StyleName, Text, text } from "./text.ts";

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
  return {
    bold: style("bold"),
    dim: style("dim"),
    red: style("red"),
    green: style("green"),
    yellow: style("yellow"),
    cyan: style("cyan"),
    columns: stream.isTTY === true ? stream.columns || DEFAULT_COLUMNS : undefined,
  };
}

/** Node looks at NO_COLOR, FORCE_COLOR and TERM, but only for a terminal. */
function hasColors(stream: Output): boolean {
  if (stream.isTTY === true) return stream.hasColors?.() ?? true;
  const { FORCE_COLOR } = currentShell().env;
  return FORCE_COLOR !== undefined && FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
}

/** Prints a message to stderr. Stdout contains only results. */
export function say(message: Text): void {
  currentShell().stderr.write(`${message}\n`);
}

/** Writes text of another process to stderr as it arrives. */
export function passOn(text: Text): void {
  currentShell().stderr.write(String(text));
}

/** Prints a result to stdout. */
export function print(result: Text): void {
  write(`${result}\n`);
}

/** Prints a result to stdout as JSON. Only a terminal gets colors, because programs read JSON. */
export function printJson(value: unknown): void {
  const json = Text.json(value, 2);
  const styles = stylesFor(currentShell().stdout);
  print(styles.columns === undefined ? json : (prettyJson(String(json), styles) ?? json));
}

/** Writes to stdout, also while it is guarded against output of the author's module. */
export function write(text: string): void {
  const { stdout } = currentShell();
  (stdout === process.stdout ? guardStdout() : stdout).write(text);
}

/** A longer text is not read on a screen. */
const MAX_LENGTH = 1_000_000;
/** Deeper levels would be indented out of the screen, and their indentation takes quadratic space. */
const MAX_DEPTH = 50;
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Formats a JSON object or array for people: indented and colored. The tokens stay as they are, so a number keeps all
 * its digits. Returns undefined for any other text.
 */
export function prettyJson(json: string, styles: Styles, indent = ""): Text | undefined {
  if (json.length > MAX_LENGTH || !isContainer(json)) return undefined;
  const tokens = json.match(TOKENS) ?? [];
  const parts: Text[] = [];
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1] ?? "";
    const isEnd = token === "}" || token === "]";
    if (isEnd) depth -= 1;
    const opened = before === "{" || before === "[";
    if ((opened && !isEnd) || before === "," || (isEnd && !opened)) {
      parts.push(text`\n${indent}${"  ".repeat(depth)}`);
    }
    parts.push(paint(token, tokens[index + 1], styles));
    if (token === "{" || token === "[") depth += 1;
    if (depth > MAX_DEPTH) return undefined;
  }
  return Text.join(parts, "");
}

function isContainer(json: string): boolean {
  if (!/^\s*[{[]/.test(json)) return false;
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

function paint(token: string, after: string | undefined, { cyan, green, yellow, dim }: Styles): Text {
  if (token === ":") return text`: `;
  if (token.startsWith('"')) return after === ":" ? cyan(token) : green(token);
  if (token === "null") return dim(token);
  return /^[-\dtf]/.test(token) ? yellow(token) : text`${token}`;
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
  const flushed = [guardStdout(), process.stderr].map(
    (stream) => new Promise<void>((resolve) => stream.write("", () => resolve())),
  );
  await Promise.all(flushed);
  if (problem !== undefined) throw new CommandError(`The output could not be written: ${problem.message}`);
}
