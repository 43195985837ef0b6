import type { Login } from "../login/login.ts";
import type { LoginOptions } from "../login/options.ts";
import type { RequestId } from "../protocol/messages.ts";
import { ConnectionError, toConnectionError } from "./errors.ts";
import { HeaderParams, headersFor, namedRevision } from "./headers.ts";
import { createHttpStreams, nameOfUrl, type SsePair, statusError } from "./http-streams.ts";
import {
  type Headers,
  type Link,
  type LinkOptions,
  type Outgoing,
  parseOutgoing,
  pause,
  requestIdOf,
  TAKES_NOTHING,
} from "./link.ts";

/** The time in milliseconds that a server has to accept the last messages and to end a session. */
const GRACE = 2000;
/** Answers and notifications that wait until the server has taken the ones before. */
const MAX_WAITING = 1000;
/**
 * A server that answers `initialize` with one of these may have the older transport of HTTP with SSE: specification
 * 2025-11-25, transports, backwards compatibility.
 */
const MAYBE_OLDER = new Set([400, 404, 405]);

/** Options of a link to a URL. */
export interface UrlOptions extends LinkOptions {
  /** More headers, or a function that returns them for each request, such as one with a fresh token. */
  readonly headers?: Headers | (() => Headers | Promise<Headers>) | undefined;
  /** How to log in to a server that asks for it. Not used if `headers` contains `authorization`. */
  readonly login?: LoginOptions | undefined;
}

/** Connects to a server over Streamable HTTP, with or without a session, or over HTTP with SSE. */
export function linkUrl(url: string, options: UrlOptions = {}): Link {
  const { headers: extra = {}, observer = {} } = options;
  const name = nameOfUrl(url);
  const authorize = createAuthorizer(url, options.login);
  return (receiveText, events) => {
    const params = new HeaderParams();
    const stop = new AbortController();
    const { signal } = stop;
    /** The requests in flight. One without a session is canceled by the end of its connection. */
    const requests = new Map<RequestId, { readonly stop: AbortController; readonly isAlone: boolean }>();
    let session: string | undefined;
    let negotiated: string | undefined;
    let pair: SsePair | undefined;
    /** Requests wait for the notifications before them, and for nothing else. */
    let last: Promise<unknown> = Promise.resolve();
    let waiting = 0;

    function receive(text: string): void {
      params.learnFrom(text, (id) => events.isPending(id));
      receiveText(text);
    }

    const streams = createHttpStreams({
      ...options,
      open: get,
      receive(text, head) {
        observer.received?.(text, head);
        receive(text);
      },
      refused: (text, head) => observer.received?.(text, head),
      interrupted: () => observer.interrupted?.(),
      signal,
    });

    async function post(message: Outgoing, text: string, signal: AbortSignal): Promise<void> {
      const id = requestIdOf(message);
      const fail = (error: ConnectionError) => (id === undefined ? undefined : events.fail(error, id));
      const end = () => (id === undefined ? undefined : requests.delete(id));
      try {
        const headers = { ...(await ownHeaders()), ...headersFor(message, params), ...sessionHeaders() };
        observer.sent?.(text, { method: "POST", requestHeaders: headers });
        const response = await send(headers);
        if (pair !== undefined) return await pair.accepted(response, fail).finally(end);
        if (message.method === "initialize") {
          pair = await findPair(response);
          if (pair !== undefined) {
            observer.sent?.(text, { method: "POST", requestHeaders: headers });
            return await pair.accepted(await send(headers), fail).finally(end);
          }
        }
        if (response.status === 404 && session !== undefined && message.method !== "initialize") {
          await streams.refuse(response);
          end();
          return fail(new ConnectionError("session", `${name} has ended the session.`, { status: 404 }));
        }
        session = response.headers.get("mcp-session-id") ?? session;
        if (message.method === "initialize") negotiated = String(message.params?.protocolVersion);
        if (message.method === "notifications/initialized") void streams.listen();
        void deliver(response, () => id === undefined || !events.isPending(id), fail).finally(end);
      } catch (error) {
        end();
        fail(toConnectionError(error, "unreachable", `${name} cannot be reached`));
      }

      function send(headers: Headers): Promise<Response> {
        const target = pair?.endpoint ?? url;
        return authorize(target, { method: "POST", headers, body: text, signal }, streams.refuse, (isWaiting) => {
          if (id !== undefined) events.waiting?.(id, isWaiting);
        });
      }
    }

    async function deliver(
      response: Response,
      isDone: () => boolean,
      fail: (error: ConnectionError) => void,
    ): Promise<void> {
      try {
        // Without a session nothing is kept that could be sent again.
        await streams.read(response, isDone, negotiated !== undefined);
        if (!isDone()) fail(statusError(name, response));
      } catch (error) {
        fail(toConnectionError(error, "ended", `The response of ${name} was interrupted`));
      }
    }

    /** Looks for the older transport. Its messages go to another address, and all responses come from one stream. */
    async function findPair(response: Response): Promise<SsePair | undefined> {
      if (!MAYBE_OLDER.has(response.status) || session !== undefined) return undefined;
      const opened = await streams.openPair(url, await get({}).catch(() => undefined));
      if (opened === undefined) return undefined;
      await streams.refuse(response);
      observer.fellBack?.();
      void opened.ended.then((reason) => {
        events.fail(new ConnectionError("ended", reason));
        if (!signal.aborted) observer.ended?.(reason);
      });
      return opened;
    }

    /** The headers of the user, with names in lower case like all others here. */
    async function ownHeaders(): Promise<Headers> {
      try {
        const headers = typeof extra === "function" ? await extra() : extra;
        return Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]));
      } catch (error) {
        throw toConnectionError(error, "unreachable", `The headers for ${name} could not be made`);
      }
    }

    async function get(more: Headers): Promise<Response> {
      const headers = { ...(await ownHeaders()), accept: "text/event-stream", ...sessionHeaders(), ...more };
      return authorize(url, { method: "GET", headers, signal }, streams.refuse);
    }

    function sessionHeaders(): Headers {
      return {
        ...(session !== undefined && { "mcp-session-id": session }),
        ...(negotiated !== undefined && { "mcp-protocol-version": negotiated }),
      };
    }

    return {
      send(text, message = parseOutgoing(text)) {
        const id = requestIdOf(message);
        if (id === undefined) {
          last = last.then(() => post(message, text, signal)).finally(() => waiting--);
          if (++waiting > MAX_WAITING) events.fail(new ConnectionError("malformed", `${name} ${TAKES_NOTHING}`));
          return;
        }
        const stopOne = new AbortController();
        requests.set(id, { stop: stopOne, isAlone: namedRevision(message) !== undefined });
        void last.then(() => post(message, text, stopOne.signal));
      },
      agreed(revision) {
        negotiated = revision;
      },
      refuses: (tool) => negotiated === undefined && params.refuses(tool),
      cancel(id) {
        const found = requests.get(id);
        if (found?.isAlone !== true) return false;
        found.stop.abort();
        return true;
      },
      async close() {
        // A request in flight has failed or is not needed anymore; the server may never respond to it.
        if (requests.size === 0) await Promise.race([last, pause(GRACE)]);
        stop.abort();
        for (const each of requests.values()) each.stop.abort();
        if (session === undefined) return;
        // A failure does not matter: the server drops idle sessions.
        await ownHeaders()
          .then((own) => ({ method: "DELETE", headers: { ...own, ...sessionHeaders() } }))
          .then((init) => authorize(url, { ...init, signal: AbortSignal.timeout(GRACE) }, streams.refuse))
          .then((response) => response.body?.cancel())
          .catch(() => undefined);
      },
    };
  };
}

/** Times that one request is sent again with other credentials: stored ones, refreshed ones, those with more scopes. */
const MAX_CHALLENGES = 3;

interface Request extends Pick<RequestInit, "method" | "body"> {
  readonly headers: Headers;
  readonly signal: AbortSignal;
}

/** Returns the function that sends requests, with a token once the server has asked for one. */
function createAuthorizer(url: string, options: LoginOptions | undefined) {
  let login: Promise<Login> | undefined;
  let token: string | undefined;
  return async (
    target: string,
    { headers, ...init }: Request,
    refused: (response: Response) => Promise<void>,
    waiting: (isWaiting: boolean) => void = () => {},
  ) => {
    for (let count = 0; ; count++) {
      // Observers never see it: what they see is recorded and shown.
      const sent = token;
      const own = sent === undefined ? headers : { ...headers, authorization: `Bearer ${sent}` };
      const response = await followRedirects(target, { ...init, headers: own });
      const isChallenge = response.status === 401 || response.status === 403;
      if (!isChallenge || options === undefined || "authorization" in headers || count === MAX_CHALLENGES)
        return response;
      login ??= import("../login/login.ts").then(({ Login }) => new Login(url, options));
      const header = response.headers.get("www-authenticate");
      waiting(true);
      const next = await (await login)
        .answer(response.status, header, sent, init.signal)
        .catch(async (error: Error) => {
          await refused(response);
          const message = `${nameOfUrl(url)} answered with status ${response.status}. ${error.message}`;
          throw new ConnectionError("login", message, { status: response.status, cause: error });
        });
      waiting(false);
      if (next === undefined || next === sent) return response;
      token = next;
      await response.body?.cancel();
    }
  };
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** The statuses that keep the method and the body. */
const KEEPS_BODY = new Set([307, 308]);

/**
 * Sends a request and follows redirects within the origin. The request contains arguments of tools, a session id and
 * headers that are meant for this server, so no redirect may send them to another one.
 * @throws {ConnectionError} for a redirect that is not followed.
 */
async function followRedirects(url: string, init: RequestInit): Promise<Response> {
  let at = url;
  for (let count = 0; count <= MAX_REDIRECTS; count++) {
    const response = await fetch(at, { ...init, redirect: "manual" });
    // Browsers do not say where a redirect leads.
    if (response.type === "opaqueredirect") throw redirectError(`${nameOfUrl(at)} redirects. Use the URL it leads to.`);
    const location = response.headers.get("location");
    if (!REDIRECTS.has(response.status) || location === null) return response;
    await response.body?.cancel();
    at = resolveRedirect(at, response.status, location);
  }
  throw redirectError(`${nameOfUrl(url)} redirects more than ${MAX_REDIRECTS} times.`);
}

function redirectError(message: string): ConnectionError {
  return new ConnectionError("malformed", message);
}

function resolveRedirect(from: string, status: number, location: string): string {
  const name = nameOfUrl(from);
  if (!URL.canParse(location, from)) throw redirectError(`${name} redirects to an invalid URL.`);
  const to = new URL(location, from);
  if (to.origin !== new URL(from).origin) {
    throw redirectError(
      `${name} redirects to ${nameOfUrl(to.href)}, another origin. ` +
        "Such a redirect is not followed, because it would send your arguments there. If you trust it, use its URL.",
    );
  }
  if (KEEPS_BODY.has(status)) return to.href;
  throw redirectError(`${name} redirects with status ${status}, which drops the message. Use ${nameOfUrl(to.href)}.`);
}
