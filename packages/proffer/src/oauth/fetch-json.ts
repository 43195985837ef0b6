import type { Environment } from "./environment.ts";

/** Bytes of a response. */
export const MAX_RESPONSE = 256 * 1024;

/** A response that cannot be used. */
export class FetchError extends Error {
  override readonly name = "FetchError";
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined;

  constructor(message: string, status?: number, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/**
 * Fetches a JSON object. Redirects are not followed, because they could lead into the server's own network; time and
 * size are limited while the response arrives. @throws {FetchError}
 */
export async function fetchJson(
  url: string,
  { fetchTimeout }: Environment,
  init: RequestInit = {},
): Promise<{ readonly [member: string]: unknown }> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), fetchTimeout);
  let status: number | undefined;
  const failed = (problem: string, cause?: unknown) => new FetchError(`${url} ${problem}.`, status, { cause });
  try {
    const headers = { accept: "application/json", ...init.headers };
    // Not "error", which Workers do not have.
    const response = await fetch(url, { ...init, headers, redirect: "manual", signal: stop.signal });
    status = response.status;
    if (status !== 200) throw failed(`answered with status ${status}`);
    const text = await readText(response);
    if (text === undefined) throw failed(`returned more than ${MAX_RESPONSE} bytes`);
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
    throw failed("did not return a JSON object");
  } catch (error) {
    if (error instanceof FetchError) throw error;
    if (stop.signal.aborted) throw failed(`did not answer within ${fetchTimeout} ms`);
    // A syntax error quotes the response, which may contain anything.
    throw error instanceof SyntaxError ? failed("did not return JSON") : failed("cannot be reached", error);
  } finally {
    clearTimeout(timer);
    // Also ends a response that was refused before it arrived completely.
    stop.abort();
  }
}

/** The body of a response; undefined if it is too large. */
async function readText(response: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = "";
  let size = 0;
  while (reader !== undefined) {
    const { value, done } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MAX_RESPONSE) return undefined;
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
}

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
