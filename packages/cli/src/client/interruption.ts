import { setTimeout as wait } from "node:timers/promises";
import { CommandError, INTERRUPTED, Interrupted } from "../terminal/command-error.ts";

/** The time in milliseconds that a server has to end after Ctrl-C. Then it is left alone, or killed if it is a child. */
const GRACE = 1000;

/**
 * Ends a command when its time is over, or when the user presses Ctrl-C: as SIGINT, or as a key while a prompt has the
 * terminal in raw mode.
 */
export class Interruption {
  readonly #controller = new AbortController();
  /** Rejects then. */
  readonly happened: Promise<never>;

  constructor() {
    const { signal } = this.#controller;
    this.happened = new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    this.happened.catch(() => {});
  }

  /** Aborts then. The reason is an `Interrupted` if the user has pressed Ctrl-C. */
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
    this.end(new Interrupted("Interrupted."));
  };

  end(reason: Error): void {
    this.#controller.abort(reason);
  }

  /** Waits for the end of a connection; after an interruption only for a moment. */
  async settle(closed: void | Promise<void>): Promise<void> {
    const patience = this.happened.catch(() => wait(GRACE, undefined, { ref: false }));
    await Promise.race([closed, patience]);
  }
}

/**
 * Creates the time limit of all responses of a command, which interrupts it. Time in which the user answers a question does
 * not count.
 * @param seconds - 0 means no limit.
 */
export function createDeadline(server: string, seconds: number, interruption: Interruption) {
  let left = seconds * 1000;
  let started = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    start(): void {
      if (seconds === 0 || timer !== undefined) return;
      started = performance.now();
      const message = `${server} did not respond within ${seconds} s. Raise the limit with --timeout.`;
      timer = setTimeout(() => interruption.end(new CommandError(message)), left);
    },
    stop(): void {
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = undefined;
      left -= performance.now() - started;
    },
  };
}
