import type { Server } from "proffer";

/** Milliseconds that a question may wait for its answer before its version is stopped. */
const MAX_WAIT = 10 * 60 * 1000;

/** One version of a server with the calls that began on it. It stops when it is replaced and its calls have ended. */
export class PinnedVersion {
  readonly server: Server;
  readonly #stop: () => void;
  /** The calls that have not ended, with the timers of those that wait for an answer in another request. */
  readonly #calls = new Map<number, NodeJS.Timeout | undefined>();
  #isReplaced = false;

  constructor(server: Server, stop: () => void) {
    this.server = server;
    this.#stop = stop;
  }

  /** A call begins, or continues with an answer. */
  enter(call: number): void {
    clearTimeout(this.#calls.get(call));
    this.#calls.set(call, undefined);
  }

  /**
   * Runs a handler of the version. If its signal is aborted before it settles, it may have asked something in a revision
   * where the answer comes with another request: then the call has not ended, and the run never settles.
   */
  async run(call: number, signal: AbortSignal, handler: () => unknown): Promise<unknown> {
    this.enter(call);
    signal.addEventListener("abort", () => this.#wait(call), { once: true });
    try {
      return await handler();
    } finally {
      this.#leave(call);
    }
  }

  replace(): void {
    this.#isReplaced = true;
    this.#stopIfUnused();
  }

  #wait(call: number): void {
    if (!this.#calls.has(call)) return;
    clearTimeout(this.#calls.get(call));
    this.#calls.set(call, setTimeout(() => this.#leave(call), MAX_WAIT).unref());
  }

  #leave(call: number): void {
    clearTimeout(this.#calls.get(call));
    if (this.#calls.delete(call)) this.#stopIfUnused();
  }

  #stopIfUnused(): void {
    if (this.#isReplaced && this.#calls.size === 0) this.#stop();
  }
}
