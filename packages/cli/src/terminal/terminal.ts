import type { Writable } from "node:stream";
import { guardStdout } from "proffer/process";
import { type StyleName, Text, text } from "./text.ts";

export type Styles = { readonly [Name in StyleName]: (value: string | Text) => Text };

/** Returns the styles for a stream: plain text unless it is a terminal and NO_COLOR is not set. */
export function stylesFor(stream: Writable & { isTTY?: boolean }): Styles {
  const isPlain = stream.isTTY !== true || Boolean(process.env.NO_COLOR);
  const style = (name: StyleName) => (value: string | Text) => (isPlain ? text`${value}` : Text.style(name, value));
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
export function say(message: Text): void {
  process.stderr.write(`${message}\n`);
}

/** Writes text of another process to stderr as it arrives. */
export function passOn(text: Text): void {
  process.stderr.write(String(text));
}

/** Prints a result to stdout. */
export function print(result: Text): void {
  guardStdout().write(`${result}\n`);
}

/** Prints a result to stdout as JSON. */
export function printJson(value: unknown): void {
  print(Text.json(value, 2));
}
