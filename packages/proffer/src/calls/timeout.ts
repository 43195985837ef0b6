import { ToolError } from "../results/content.ts";
import type { Call } from "./call.ts";

/** Ends the call after `milliseconds`: the handler's signal is aborted and its late result ignored. */
export function limitTime(call: Call, milliseconds: number, handler: unknown): void {
  call.timer = setTimeout(check, milliseconds);
  function check(): void {
    // The time that a user takes to answer does not count.
    if (call.waiting) {
      call.timer = setTimeout(check, milliseconds);
      return;
    }
    const late = new ToolError(`The tool did not finish within ${milliseconds} ms.`);
    call.lateHandler = Promise.resolve(handler);
    call.abort(late.message);
    call.interrupt(late);
  }
}
