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
