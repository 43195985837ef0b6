import { truncate } from "./layout.ts";
import type { Text } from "./text.ts";

/** Returns to the start of the line and erases it. */
const ERASE = "\r\u001b[2K";

type Write = typeof process.stderr.write;

/** The text of the line, also while other output hides it. */
let status = "";
let isShown = false;
let write: Write | undefined;

/**
 * Prepares stderr for a line that is shown only for a while, below all other output. Other output erases it first, from
 * the module in this process too, so call this before code that keeps `process.stderr.write`.
 */
export function prepareStatusLine(): void {
  if (process.stderr.isTTY !== true || write !== undefined) return;
  const original: Write = process.stderr.write.bind(process.stderr);
  write = original;
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
  if (write === undefined) return;
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
  write?.(status);
  isShown = true;
}

function erase(): void {
  if (isShown) write?.(ERASE);
  isShown = false;
}
