import { setTimeout as wait } from "node:timers/promises";
import { INTERRUPTED, Interrupted } from "../terminal/command-error.ts";

/** The time in milliseconds that a server has to end after Ctrl-C. Then it is left alone, or killed if it is a child. */
const GRACE = 1000;

/** Ends a command when the user presses Ctrl-C: as SIGINT, or as a key while a prompt has the terminal in raw mode. */
export class Interruption {
  readonly #controller = new AbortController();
  /** Rejects when the user presses Ctrl-C. */
  readonly happened: Promise<never>;

  constructor() {
    const { signal } = this.#controller;
    this.happened = new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    this.happened.catch(() => {});
  }

  /** Aborts when the user presses Ctrl-C, with an `Interrupted` as the reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Until then SIGINT ends the process at once, also while the compiler blocks the thread. */
  start(): void {
    process.on("SIGINT", this.trigger);
  }

  stop(): void {
    process.off("SIGINT", this.trigger);
  }

  /** Interrupts the command. The second time, the process exits without a word to the server. */
  readonly trigger = (): void => {
    if (this.signal.aborted) process.exit(INTERRUPTED);
    this.#controller.abort(new Interrupted("Interrupted."));
  };

  /** Waits for the end of a connection; after Ctrl-C only for a moment. */
  async settle(closed: void | Promise<void>): Promise<void> {
    const patience = this.happened.catch(() => wait(GRACE, undefined, { ref: false }));
    await Promise.race([closed, patience]);
  }
}
