import type { Call } from "./call.ts";
import { ToolError } from "./content.ts";

/**
 * Ends the call in so many milliseconds: the handler is told to stop, and its late result is discarded.
 * @returns what calls that off.
 */
export function limitTime(call: Call, milliseconds: number, handler: unknown): () => void {
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
    call.interrupt(late);
  }
  return () => clearTimeout(timer);
}
