import { setMaxListeners } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import type { Link } from "proffer/testing";
import { CommandError } from "../terminal/command-error.ts";
import { nameOfUrl } from "./arguments.ts";
import { HeaderParams, type Headers, headersFor, type Message, parseMessage } from "./headers.ts";
import { createHttpStreams, type SsePair } from "./http-streams.ts";
import { ByteBudget, DEFAULT_MAX_BYTES } from "./limits.ts";
import { type LinkOptions, trackRequests } from "./link.ts";

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
  const { budget = new ByteBudget(DEFAULT_MAX_BYTES), headers: extra = {}, observer = {} } = options;
  const name = nameOfUrl(url);
  return (receive) => {
    const params = new HeaderParams();
    const stop = new AbortController();
    const { signal } = stop;
    let session: string | undefined;
    let negotiated: string | undefined;
    let pair: SsePair | undefined;
    /** Messages are sent in order, without waiting for the end of response streams. */
    let last: Promise<unknown> = Promise.resolve();
    // Each request in flight listens to it.
    setMaxListeners(0, signal);
    const pending = trackRequests(name, (text) => {
      params.learn(JSON.parse(text));
      receive(text);
    });
    const streams = createHttpStreams({
      budget,
      open: get,
      receive(text, head) {
        observer.received?.(text, head);
        pending.received(text);
      },
      refused: (text, head) => observer.received?.(text, head),
      interrupted: () => observer.interrupted?.(),
      signal,
    });

    async function post(message: Message, text: string, headers: Headers): Promise<void> {
      const id = pending.sent(message);
      const fail = (reason: string) => (id === undefined ? undefined : pending.fail(id, reason));
      try {
        const target = pair?.endpoint ?? url;
        const response = await followRedirects(target, { method: "POST", headers, body: text, signal });
        if (pair !== undefined) return await pair.accepted(response, fail);
        if (message.method === "initialize" && (await isOlder(response))) {
          observe(text, headers);
          return await post(message, text, headers);
        }
        session = response.headers.get("mcp-session-id") ?? session;
        if (message.method === "initialize") negotiated = message.params?.protocolVersion as string;
        if (message.method === "notifications/initialized") void streams.listen();
        void deliver(response, () => id === undefined || !pending.has(id), fail);
      } catch (error) {
        fail(explain(error, `${name} cannot be reached`));
      }
    }

    async function deliver(response: Response, isDone: () => boolean, fail: (reason: string) => void): Promise<void> {
      try {
        // Without a session nothing is kept that could be sent again.
        await streams.read(response, isDone, negotiated !== undefined);
        fail(`${name} responded with status ${response.status} ${response.statusText}.`);
      } catch (error) {
        fail(explain(error, `The response of ${name} was interrupted`));
      }
    }

    /** Looks for the older transport. Its messages go to another address, and all responses come from one stream. */
    async function isOlder(response: Response): Promise<boolean> {
      if (!MAYBE_OLDER.has(response.status) || session !== undefined) return false;
      const opened = await streams.openPair(url, await get({}).catch(() => undefined));
      if (opened === undefined) return false;
      pair = opened;
      await streams.refuse(response);
      observer.fellBack?.();
      void opened.ended.then((reason) => {
        pending.failAll(reason);
        if (!signal.aborted) observer.ended?.(reason);
      });
      return true;
    }

    function observe(text: string, requestHeaders: Headers): void {
      observer.sent?.(text, { method: "POST", requestHeaders });
    }

    function get(more: Headers): Promise<Response> {
      const headers = { ...extra, accept: "text/event-stream", ...sessionHeaders(), ...more };
      return followRedirects(url, { method: "GET", headers, signal });
    }

    function sessionHeaders(): Headers {
      return {
        ...(session !== undefined && { "mcp-session-id": session }),
        ...(negotiated !== undefined && { "mcp-protocol-version": negotiated }),
      };
    }

    return {
      send(text) {
        const message = parseMessage(text);
        const headers = { ...extra, ...headersFor(message, params), ...sessionHeaders() };
        observe(text, headers);
        last = last.then(() => post(message, text, headers));
      },
      async close() {
        // A request in flight has failed or is not needed anymore; the server may never respond to it.
        if (pending.isEmpty()) await Promise.race([last, wait(GRACE, undefined, { ref: false })]);
        stop.abort();
        if (session === undefined) return;
        const headers = { ...extra, ...sessionHeaders() };
        // A failure does not matter: the server drops idle sessions.
        await followRedirects(url, { method: "DELETE", headers, signal: AbortSignal.timeout(GRACE) })
          .then((response) => response.body?.cancel())
          .catch(() => undefined);
      },
    };
  };
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
