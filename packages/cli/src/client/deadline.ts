import { CommandError } from "../terminal/command-error.ts";

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
