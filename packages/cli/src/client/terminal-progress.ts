import { progress } from "@clack/prompts";
import { text } from "../terminal/text.ts";

interface Progress {
  readonly progress?: unknown;
  readonly total?: unknown;
  readonly message?: unknown;
}

/** The bar counts in percent. */
const MAX = 100;

/** The one bar of the terminal. */
let bar: { readonly view: ReturnType<typeof progress>; shown: number } | undefined;

/** Shows progress as a bar on stderr. */
export function showProgress({ progress: done, total, message }: Progress): void {
  if (bar === undefined) {
    bar = { view: progress({ max: MAX, output: process.stderr }), shown: 0 };
    bar.view.start();
  }
  const known = typeof done === "number" && typeof total === "number" && total > 0;
  const part = known ? Math.min(MAX, Math.max(bar.shown, (done / total) * MAX)) : bar.shown;
  bar.view.advance(part - bar.shown, describe(done, total, message));
  bar.shown = part;
}

function describe(done: unknown, total: unknown, message: unknown): string {
  if (typeof message === "string") return String(text`${message}`);
  if (typeof done !== "number") return "";
  return typeof total === "number" ? `${done} of ${total}` : String(done);
}

/** Removes the bar before a result or a question is shown. The next progress report shows it again. */
export function endProgress(): void {
  bar?.view.clear();
  bar = undefined;
}
