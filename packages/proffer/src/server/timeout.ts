import type { Call } from "./call.ts";
import { ToolError } from "./content.ts";

/**
 * Waits no longer than so many milliseconds; then the handler is told to stop and its late result is discarded.
 * `pending` is how the call ends; `handler` is what the handler itself gave.
 */
export function withTimeout(pending: unknown, milliseconds: number, call: Call, handler: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let timer = setTimeout(check, milliseconds);
    function check(): void {
      // The time that a user takes to answer is not the tool's.
      if (call.waiting > 0) {
        timer = setTimeout(check, milliseconds);
        return;
      }
      const late = new ToolError(`The tool did not finish within ${milliseconds} ms.`);
      call.overrun = Promise.resolve(handler);
      call.abort(late.message);
      reject(late);
    }
    Promise.resolve(pending)
      .finally(() => clearTimeout(timer))
      .then(resolve, reject);
  });
}
