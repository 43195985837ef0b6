import type { Call } from "./call.ts";

/**
 * Counts the handlers that go on although their calls were answered when their time was up. Without it, a tool that
 * hangs could be called again and again, and no limit would ever be reached.
 */
export class LateHandlers {
  count = 0;

  /** Counts the handler of an answered call until it ends, if it has not. */
  add({ lateHandler }: Call): void {
    if (lateHandler === undefined) return;
    this.count++;
    const ended = () => {
      this.count--;
    };
    lateHandler.then(ended, ended);
  }
}
