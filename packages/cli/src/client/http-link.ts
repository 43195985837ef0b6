import { setMaxListeners } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import type { Link } from "proffer/testing";
import { CommandError } from "../terminal/command-error.ts";
import { nameOfUrl } from "./arguments.ts";
import { HeaderParams, type Headers, headersFor, type Message, parseMessage } from "./headers.ts";
import { HttpStreams } from "./http-streams.ts";
import { ByteBudget, DEFAULT_MAX_BYTES } from "./limits.ts";
import { type LinkOptions, PendingRequests } from "./link.ts";
import { openSsePair, type SsePair } from "./sse-pair.ts";

/** The time in milliseconds that a server has to accept the last messages and to end a session. */
const GRACE = 2000;
/**
 * A server that answers `initialize` with one of these may have the older transport of HTTP with SSE: specification
 * 2025-11-25, transports, backwards compatibility.
 */
const MAYBE_OLDER = new Set([400, 404, 405]);

interface UrlOptions extends LinkOptions {
  /** Headers of the user for every request. */
  readonly headers?: Headers | undefined;
}

/** Connects to a server over Streamable HTTP, with or without a session, or over HTTP with SSE. */
export function linkUrl(url: string, options: UrlOptions = {}): Link {
  return (receive) => {
    const link = new HttpLink(url, receive, options);
    return { send: (text) => link.send(text), close: () => link.close() };
  };
}

class HttpLink {
  readonly #url: string;
  readonly #name: string;
  readonly #extra: Headers;
  readonly #observer: NonNullable<UrlOptions["observer"]>;
  readonly #params = new HeaderParams();
  readonly #pending: PendingRequests;
  readonly #streams: HttpStreams;
  readonly #stop = new AbortController();
  #session: string | undefined;
  #negotiated: string | undefined;
  #pair: SsePair | undefined;
  /** Messages are sent in order, without waiting for the end of response streams. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(url: string, receive: (text: string) => void, options: UrlOptions) {
    const { budget = new ByteBudget(DEFAULT_MAX_BYTES), headers = {}, observer = {} } = options;
    this.#url = url;
    this.#name = nameOfUrl(url);
    this.#extra = headers;
    this.#observer = observer;
    // Each request in flight listens to it.
    setMaxListeners(0, this.#stop.signal);
    this.#pending = new PendingRequests(this.#name, (text) => {
      this.#params.learn(JSON.parse(text));
      receive(text);
    });
    this.#streams = new HttpStreams({
      budget,
      open: (more) => this.#get(more),
      receive: (text, head) => {
        observer.received?.(text, head);
        this.#pending.received(text);
      },
      refused: (text, head) => observer.received?.(text, head),
      interrupted: () => observer.interrupted?.(),
      signal: this.#stop.signal,
    });
  }

  send(text: string): void {
    const message = parseMessage(text);
    const headers = { ...this.#extra, ...headersFor(message, this.#params), ...this.#sessionHeaders() };
    this.#observe(text, headers);
    this.#last = this.#last.then(() => this.#post(message, text, headers));
  }

  async close(): Promise<void> {
    // A request in flight has failed or is not needed anymore; the server may never respond to it.
    if (this.#pending.isEmpty) await Promise.race([this.#last, wait(GRACE, undefined, { ref: false })]);
    this.#stop.abort();
    if (this.#session === undefined) return;
    // A failure does not matter: the server drops idle sessions.
    const end = {
      method: "DELETE",
      headers: { ...this.#extra, ...this.#sessionHeaders() },
      signal: AbortSignal.timeout(GRACE),
    };
    await followRedirects(this.#url, end)
      .then((response) => response.body?.cancel())
      .catch(() => undefined);
  }

  async #post(message: Message, text: string, headers: Headers): Promise<void> {
    const id = this.#pending.sent(message);
    const fail = (reason: string) => (id === undefined ? undefined : this.#pending.fail(id, reason));
    const { signal } = this.#stop;
    try {
      const url = this.#pair?.endpoint ?? this.#url;
      const response = await followRedirects(url, { method: "POST", headers, body: text, signal });
      if (this.#pair !== undefined) return await this.#pair.accepted(response, fail);
      if (message.method === "initialize" && (await this.#isOlder(response))) {
        this.#observe(text, headers);
        return await this.#post(message, text, headers);
      }
      this.#session = response.headers.get("mcp-session-id") ?? this.#session;
      if (message.method === "initialize") this.#negotiated = message.params?.protocolVersion as string;
      if (message.method === "notifications/initialized") void this.#streams.listen();
      const done = () => id === undefined || !this.#pending.has(id);
      void this.#deliver(response, done, fail);
    } catch (error) {
      fail(explain(error, `${this.#name} cannot be reached`));
    }
  }

  async #deliver(response: Response, isDone: () => boolean, fail: (reason: string) => void): Promise<void> {
    try {
      // Without a session nothing is kept that could be sent again.
      const canResume = this.#negotiated !== undefined;
      await this.#streams.read(response, { isDone, canResume });
      fail(`${this.#name} responded with status ${response.status} ${response.statusText}.`);
    } catch (error) {
      fail(explain(error, `The response of ${this.#name} was interrupted`));
    }
  }

  /** Looks for the older transport. Its messages go to another address, and all responses come from one stream. */
  async #isOlder(response: Response): Promise<boolean> {
    if (!MAYBE_OLDER.has(response.status) || this.#session !== undefined) return false;
    const { signal } = this.#stop;
    this.#pair = await openSsePair(this.#url, await this.#get({}).catch(() => undefined), this.#streams, signal);
    if (this.#pair === undefined) return false;
    await this.#streams.refuse(response);
    this.#observer.fellBack?.();
    void this.#pair.ended.then((reason) => {
      this.#pending.failAll(reason);
      if (!signal.aborted) this.#observer.ended?.(reason);
    });
    return true;
  }

  #observe(text: string, requestHeaders: Headers): void {
    this.#observer.sent?.(text, { method: "POST", requestHeaders });
  }

  #get(more: Headers): Promise<Response> {
    const headers = { ...this.#extra, accept: "text/event-stream", ...this.#sessionHeaders(), ...more };
    return followRedirects(this.#url, { method: "GET", headers, signal: this.#stop.signal });
  }

  #sessionHeaders(): Headers {
    return {
      ...(this.#session !== undefined && { "mcp-session-id": this.#session }),
      ...(this.#negotiated !== undefined && { "mcp-protocol-version": this.#negotiated }),
    };
  }
}

/** Explains a failed `fetch`. The reason is in the cause of its error. */
function explain(error: unknown, problem: string): string {
  const { cause, message } = error as Error;
  if (error instanceof CommandError) return message;
  const reason = cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message;
  return `${problem}: ${reason}`;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** The statuses that keep the method and the body. */
const KEEPS_BODY = new Set([307, 308]);

/**
 * Sends a request and follows redirects within the origin. The request contains arguments of tools, a session id and
 * headers that are meant for this server, so no redirect may send them to another one.
 * @throws {CommandError} for a redirect that is not followed.
 */
async function followRedirects(url: string, init: RequestInit): Promise<Response> {
  let at = url;
  for (let count = 0; count <= MAX_REDIRECTS; count++) {
    const response = await fetch(at, { ...init, redirect: "manual" });
    const location = response.headers.get("location");
    if (!REDIRECTS.has(response.status) || location === null) return response;
    await response.body?.cancel();
    at = resolveRedirect(at, response.status, location);
  }
  throw new CommandError(`${nameOfUrl(url)} redirects more than ${MAX_REDIRECTS} times.`);
}

function resolveRedirect(from: string, status: number, location: string): string {
  const name = nameOfUrl(from);
  if (!URL.canParse(location, from)) throw new CommandError(`${name} redirects to an invalid URL.`);
  const to = new URL(location, from);
  if (to.origin !== new URL(from).origin) {
    throw new CommandError(
      `${name} redirects to ${nameOfUrl(to.href)}, another origin. ` +
        "Such a redirect is not followed, because it would send your arguments there. If you trust it, use its URL.",
    );
  }
  if (KEEPS_BODY.has(status)) return to.href;
  throw new CommandError(
    `${name} redirects with status ${status}, which drops the message. Use ${nameOfUrl(to.href)}.`,
  );
}
