import type { Writable } from "node:stream";
import { styleText } from "node:util";
import { guardStdout } from "proffer/stdio";

type StyleName = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

export type Styles = { readonly [Name in StyleName]: (text: string) => string };

/** Returns the styles for a stream: plain text unless it is a terminal and NO_COLOR is not set. */
export function stylesFor(stream: Writable & { isTTY?: boolean }): Styles {
  const isPlain = stream.isTTY !== true || Boolean(process.env.NO_COLOR);
  const style = (name: StyleName) => (text: string) =>
    isPlain ? text : styleText(name, text, { validateStream: false });
  return {
    bold: style("bold"),
    dim: style("dim"),
    red: style("red"),
    green: style("green"),
    yellow: style("yellow"),
    cyan: style("cyan"),
  };
}

/** Prints a message to stderr. Stdout contains only results. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Prints a result to stdout. */
export function print(text: string): void {
  guardStdout().write(`${text}\n`);
}

/** Prints a result to stdout as JSON. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, undefined, 2));
}
