import { setTimeout as wait } from "node:timers/promises";
import { CommandError, INTERRUPTED, Interrupted } from "../terminal/command-error.ts";

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

/** The time that a server has for all responses of a command. Time in which the user answers a question does not count. */
export class Deadline {
  readonly #seconds: number;
  readonly #server: string;
  readonly #reject: (error: Error) => void;
  /** Rejects when the time is over. */
  readonly expired: Promise<never>;
  #left: number;
  #started = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param seconds - 0 means no limit. */
  constructor(server: string, seconds: number) {
    this.#server = server;
    this.#seconds = seconds;
    this.#left = seconds * 1000;
    let settle: (error: Error) => void = () => {};
    this.expired = new Promise((_, reject) => {
      settle = reject;
    });
    this.expired.catch(() => {});
    this.#reject = settle;
  }

  start(): void {
    if (this.#seconds === 0 || this.#timer !== undefined) return;
    this.#started = performance.now();
    this.#timer = setTimeout(() => this.#reject(this.#explain()), this.#left);
  }

  stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left -= performance.now() - this.#started;
  }

  #explain(): CommandError {
    const limit = `${this.#seconds} s`;
    return new CommandError(`${this.#server} did not respond within ${limit}. Raise the limit with --timeout.`);
  }
}
