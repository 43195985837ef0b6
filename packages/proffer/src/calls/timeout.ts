import { ToolError } from "../results/content.ts";
import type { Call } from "./call.ts";

/** How to release the slot of each late handler. */
const releases = /* @__PURE__ */ new WeakMap<Call, () => void>();

/** Releases the slot of a handler that exceeded its time limit and will never settle, because it asked a question. */
export function releaseLateHandler(call: Call): void {
  if (call.lateHandler !== undefined) releases.get(call)?.();
}

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
    call.lateHandler = new Promise((resolve) => {
      releases.set(call, resolve as () => void);
      Promise.resolve(handler).then(resolve, resolve);
    });
    call.abort(late.message);
    call.interrupt(late);
  }
}
