import { progress } from "@clack/prompts";
import { toPlainText } from "./plain-text.ts";

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
  const text =
    typeof message === "string" ? toPlainText(message) : `${done}${total === undefined ? "" : ` of ${total}`}`;
  const known = typeof done === "number" && typeof total === "number" && total > 0;
  const part = known ? Math.max(bar.shown, (done / total) * MAX) : bar.shown;
  bar.view.advance(part - bar.shown, text);
  bar.shown = part;
}

/** Removes the bar before a result or a question is shown. The next progress report shows it again. */
export function endProgress(): void {
  bar?.view.clear();
  bar = undefined;
}
