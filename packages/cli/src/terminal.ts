import process from "node:process";
import type { Writable } from "node:stream";
import picocolors from "picocolors";
import { guardStdout } from "proffer/stdio";

export type Styles = ReturnType<typeof picocolors.createColors>;

/** Styles for a stream: plain text unless it is a terminal and NO_COLOR is not set. */
export function stylesFor(stream: Writable & { isTTY?: boolean }): Styles {
  return picocolors.createColors(stream.isTTY === true && !process.env.NO_COLOR);
}

/** Says on stderr what is going on, so that stdout holds only what was asked for. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Gives what was asked for. */
export function print(text: string): void {
  guardStdout().write(`${text}\n`);
}

/** Gives what was asked for as JSON. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, undefined, 2));
}
