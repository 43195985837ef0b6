import process from "node:process";
import { progress } from "@clack/prompts";

interface Progress {
  readonly progress?: unknown;
  readonly total?: unknown;
  readonly message?: unknown;
}

/** A progress bar that appears with the first report. */
export interface ProgressView {
  /** Absent where nobody looks. */
  readonly onProgress?: (reported: Progress) => void;
  end(): void;
}

/** A bar counts in hundredths. */
const MAX = 100;

/** Shows progress on stderr, if that is a terminal. */
export function showProgress(): ProgressView {
  if (!process.stderr.isTTY) return { end: () => {} };
  let bar: ReturnType<typeof progress> | undefined;
  let shown = 0;
  return {
    onProgress({ progress: done, total, message }) {
      if (bar === undefined) {
        bar = progress({ max: MAX, output: process.stderr });
        bar.start();
      }
      const text = typeof message === "string" ? message : `${done}${total === undefined ? "" : ` of ${total}`}`;
      const part = typeof done === "number" && typeof total === "number" && total > 0 ? (done / total) * MAX : shown;
      bar.advance(Math.max(0, part - shown), text);
      shown = Math.max(shown, part);
    },
    end: () => bar?.stop(),
  };
}
