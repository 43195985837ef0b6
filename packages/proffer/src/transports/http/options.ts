import type { Principal } from "../../calls/client.ts";
import type { ServerState } from "../../server/server.ts";
import { UsageError } from "../../support/usage-error.ts";
import type { Protection } from "./authentication.ts";
import type { HttpEndpoint } from "./endpoint.ts";
import type { HttpExchange, HttpRequest } from "./exchange.ts";
import type { GuardOptions } from "./guard.ts";
import type { HttpError } from "./http-error.ts";
import type { SessionOptions } from "./sessions.ts";

/** One entry of the request log. */
export interface RequestEntry {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** The method of the message, such as "tools/call". */
  readonly rpc?: string;
  /** The tool, prompt or resource URI in the message. */
  readonly name?: string;
  /** The start of the session id: enough to distinguish sessions, too little to use one. */
  readonly session?: string;
  readonly principal?: string;
  /** The error code of the response. */
  readonly code?: number;
}

/** Identifies the caller: returns a principal, undefined for an anonymous caller, or `unauthorized()`/`forbidden()`. */
export type Authenticate = (
  request: HttpRequest,
) => Principal | HttpError | undefined | Promise<Principal | HttpError | undefined>;

/** A document about a server that anyone may read; `serverCard()` of `proffer/card` creates it. */
export interface ServerCard {
  /** @internal Called for the server that it describes. Without a path, a framework routes requests. @throws {UsageError} */
  attach(server: ServerState, path: string | undefined): void;
  /** @internal Answers a request for its document, or for the catalog of these cards. Returns false for any other request. */
  answer(exchange: HttpExchange, cards?: readonly ServerCard[]): boolean;
}

/** Options for serving one server over HTTP. */
export interface HttpOptions extends GuardOptions {
  /** Runs for every request: a function, or a protection that `oauth()` or `apiKeys()` creates. Default: every caller is anonymous. */
  readonly authenticate?: Authenticate | Protection;
  /**
   * Names an anonymous caller, where the address does not: callers with one name have one share of a busy server. The name
   * never authorizes. Undefined: the address.
   */
  readonly caller?: (request: HttpRequest) => string | undefined;
  /** Describes the server at `<path>/server-card`, and in `/.well-known/ai-catalog.json`. Default: no card. */
  readonly card?: ServerCard;
  /** Limits for sessions of the older revisions; false serves each request without a session. Default: sessions. */
  readonly sessions?: SessionOptions | false;
  /** Also serves the HTTP+SSE transport of 2024-11-05, at `<path>/sse` and `<path>/messages`. Default: false. */
  readonly legacySse?: boolean;
  /** A larger body is rejected with 413. Default: 4 MiB. */
  readonly maxMessageBytes?: number;
  /** With this many requests in flight, the next one is rejected with 503. Default: 1,000. */
  readonly maxInFlight?: number;
  /**
   * Once half of `maxInFlight` is in use, a client with this many requests in flight is rejected with 429. Default: a
   * tenth of `maxInFlight`, at least 10.
   */
  readonly maxInFlightPerClient?: number;
  /**
   * With this many open streams, the next one is rejected with 503. Once half of them are open, a client with a tenth of
   * them is rejected with 429. Default: 10,000.
   */
  readonly maxStreams?: number;
  /**
   * A stream is closed when its client has this many unread bytes, and an HTTP/2 connection with more starts no further
   * request. Default: 4 MiB.
   */
  readonly maxUnreadBytes?: number;
  /**
   * The unread bytes of all clients of the process (Node only): beyond it, reads of files wait, and the connections that
   * would keep their bytes longest are closed. The last server that sets it decides. Default: 256 MiB.
   */
  readonly maxUnreadTotal?: number;
  /** Milliseconds after which a client that takes none of its unread bytes is disconnected (Node only). Default: 60,000. */
  readonly unreadTimeout?: number;
  /** Milliseconds between the comments that keep an idle stream open. Default: 15,000. */
  readonly keepAliveInterval?: number;
  /**
   * Answers `GET /healthz` with 200 while the process serves, and `GET /readyz` with 200 once the server has started and
   * until it closes, otherwise with 503. They accept any `Host`. Default: false.
   */
  readonly health?: boolean;
  /** Called for each request after it was answered. */
  readonly log?: (entry: RequestEntry) => void;
}

const MiB = 1024 * 1024;

/** Milliseconds that requests in flight get when the server closes. */
export const DRAIN_TIMEOUT = 5000;

/** The functions of a handler besides handling requests. */
export interface HandlerControls {
  /**
   * Runs `onStart` of the server and waits for it; otherwise the first request runs it, with `createFetchHandler` the
   * first call. @throws {Error} with the reason if it fails.
   */
  ready(): Promise<void>;
  /**
   * Waits up to `drainTimeout` milliseconds (default: 5,000) for requests in flight and `onStop`, and ends streams and
   * sessions.
   */
  close(drainTimeout?: number): Promise<void>;
}

export function controlsOf(endpoint: HttpEndpoint): HandlerControls {
  return {
    ready: () => endpoint.ready(),
    close: (drainTimeout = DRAIN_TIMEOUT) => endpoint.close(drainTimeout),
  };
}

export const UNREAD_TIMEOUT = 60_000;

/** The limits of an endpoint, with their defaults. */
export type HttpLimits = Readonly<ReturnType<typeof toLimits>>;

/** Fills in the defaults. @throws {UsageError} for a limit that is not a positive number. */
export function toLimits(options: HttpOptions, where: string) {
  const sessions = options.sessions || {};
  const { maxInFlight = 1000 } = options;
  const limits = {
    maxMessageBytes: options.maxMessageBytes ?? 4 * MiB,
    maxInFlight,
    maxInFlightPerClient: options.maxInFlightPerClient ?? shareOf(maxInFlight),
    maxStreams: options.maxStreams ?? 10_000,
    maxUnreadBytes: options.maxUnreadBytes ?? 4 * MiB,
    maxUnreadTotal: options.maxUnreadTotal ?? 256 * MiB,
    unreadTimeout: options.unreadTimeout ?? UNREAD_TIMEOUT,
    keepAliveInterval: options.keepAliveInterval ?? 15_000,
    idleTimeout: sessions.idleTimeout ?? 30 * 60 * 1000,
    reconnectTimeout: sessions.reconnectTimeout ?? 60_000,
    maxSessions: sessions.max ?? 10_000,
    maxReplayBytes: sessions.maxReplayBytes ?? MiB,
    maxDataBytes: sessions.maxDataBytes ?? 64 * 1024,
  };
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value === "number" && value > 0) continue;
    throw new UsageError(`${where}: ${name} must be a positive number, not ${String(value)}.`);
  }
  return limits;
}

/** The default share of one client. */
export function shareOf(max: number): number {
  return Math.max(10, Math.floor(max / 10));
}
