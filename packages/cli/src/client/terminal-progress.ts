import { clearStatus, showStatus } from "../terminal/status-line.ts";
import { type Text, text } from "../terminal/text.ts";

interface Progress {
  readonly progress?: unknown;
  readonly total?: unknown;
  readonly message?: unknown;
}

/** The columns of the bar. */
const WIDTH = 20;

/** Shows progress as a bar on stderr, until `endProgress`. */
export function showProgress({ progress: done, total, message }: Progress): void {
  const isKnown = typeof done === "number" && typeof total === "number" && total > 0;
  const part = isKnown ? Math.min(1, Math.max(0, done / total)) : undefined;
  showStatus(text`${bar(part)} ${describe(done, total, message)}`);
}

function bar(part: number | undefined): Text {
  if (part === undefined) return text`…`;
  const full = Math.round(part * WIDTH);
  const percent = String(Math.floor(part * 100)).padStart(3);
  return text`${"█".repeat(full)}${"░".repeat(WIDTH - full)} ${percent}%`;
}

function describe(done: unknown, total: unknown, message: unknown): string {
  if (typeof message === "string") return message;
  if (typeof done !== "number") return "";
  return typeof total === "number" ? `${done} of ${total}` : String(done);
}

/** Removes the bar before a result or a question is shown. The next progress report shows it again. */
export const endProgress = clearStatus;
