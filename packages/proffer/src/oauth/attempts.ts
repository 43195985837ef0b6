import type { Environment } from "./environment.ts";

/** Milliseconds between two attempts. */
export const COOL_DOWN = 30_000;

/**
 * Fetches a value at most once in 30 seconds, whatever the outcome, for all requests that wait for it: otherwise
 * made-up tokens could make this server flood the authorization server.
 */
export class Attempts<Value> {
  /** The last fetched value. */
  value: Value | undefined;
  /** When it was fetched, by the environment's uptime. */
  fetched = Number.NEGATIVE_INFINITY;
  /** Why the last attempt failed; undefined if it did not. */
  error: unknown;
  readonly #environment: Environment;
  readonly #work: () => Promise<Value>;
  #begun = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;

  constructor(environment: Environment, work: () => Promise<Value>) {
    this.#environment = environment;
    this.#work = work;
  }

  /** The value, which is fetched if there is none; undefined if that fails or the last attempt was too recent. */
  async first(): Promise<Value | undefined> {
    if (this.value === undefined) await this.run();
    return this.value;
  }

  /** Fetches the value, or waits until it is fetched, unless the last attempt was too recent. */
  async run(): Promise<void> {
    if (this.#running === undefined) {
      if (this.#environment.uptime() - this.#begun < COOL_DOWN) return;
      this.#begun = this.#environment.uptime();
      this.#running = this.#attempt();
    }
    await this.#running;
  }

  async #attempt(): Promise<void> {
    try {
      this.value = await this.#work();
      this.fetched = this.#environment.uptime();
      this.error = undefined;
    } catch (error) {
      this.error = error;
    } finally {
      this.#running = undefined;
    }
  }
}
