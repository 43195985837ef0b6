import type { Principal } from "../../calls/principal.ts";
import { UsageError } from "../../support/usage-error.ts";
import type { HttpRequest } from "./exchange.ts";
import type { GuardOptions } from "./guard.ts";
import type { HttpError } from "./http-error.ts";
import type { SessionOptions } from "./sessions.ts";

/** One line of the request log. */
export interface RequestEntry {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** The method of the message, such as "tools/call". */
  readonly rpc?: string;
  /** The tool, prompt or resource that it is about. */
  readonly name?: string;
  /** The beginning of the session's id: enough to tell sessions apart, too little to use one. */
  readonly session?: string;
  readonly principal?: string;
  /** The code of the error that it was answered with. */
  readonly code?: number;
}

/** Says who is calling: a principal, nobody in particular, or a refusal made by `unauthorized()` or `forbidden()`. */
export type Authenticate = (
  request: HttpRequest,
) => Principal | HttpError | undefined | Promise<Principal | HttpError | undefined>;

/** How one server is served over HTTP. */
export interface HttpOptions extends GuardOptions {
  /** Runs for every request. Default: nobody is asked who they are. */
  readonly authenticate?: Authenticate;
  /** How sessions of the older revisions are kept; false serves each request by itself. Default: they are kept. */
  readonly sessions?: SessionOptions | false;
  /** Serves the two-endpoint transport of 2024-11-05 too, at `<path>/sse` and `<path>/messages`. Default: false. */
  readonly legacySse?: boolean;
  /** A larger body is refused with 413. Default: 4 MiB. */
  readonly maxMessageBytes?: number;
  /** With more requests in work, the next is refused with 503. Default: 1,000. */
  readonly maxInFlight?: number;
  /** With more streams open, the next is refused with 503. Default: 10,000. */
  readonly maxStreams?: number;
  /** A stream whose client has not read so many bytes is cut. Default: 4 MiB. */
  readonly maxUnreadBytes?: number;
  /** Milliseconds between comments that keep a quiet stream open. Default: 15,000. */
  readonly keepAliveInterval?: number;
  /** Tell clients what really went wrong. Default: false. */
  readonly exposeErrors?: boolean;
  /** Hears of each request when it has been answered. */
  readonly log?: (entry: RequestEntry) => void;
}

const MiB = 1024 * 1024;

/** The limits of an endpoint, with their defaults. */
export interface HttpLimits {
  readonly maxMessageBytes: number;
  readonly maxInFlight: number;
  readonly maxStreams: number;
  readonly maxUnreadBytes: number;
  readonly keepAliveInterval: number;
  readonly idleTimeout: number;
  readonly maxSessions: number;
  readonly maxReplayBytes: number;
}

/** Fills in what was not said. @throws {UsageError} for a limit that is none. */
export function toLimits(options: HttpOptions, where: string): HttpLimits {
  const sessions = options.sessions || {};
  const limits: HttpLimits = {
    maxMessageBytes: options.maxMessageBytes ?? 4 * MiB,
    maxInFlight: options.maxInFlight ?? 1000,
    maxStreams: options.maxStreams ?? 10_000,
    maxUnreadBytes: options.maxUnreadBytes ?? 4 * MiB,
    keepAliveInterval: options.keepAliveInterval ?? 15_000,
    idleTimeout: sessions.idleTimeout ?? 30 * 60 * 1000,
    maxSessions: sessions.max ?? 10_000,
    maxReplayBytes: sessions.maxReplayBytes ?? MiB,
  };
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value === "number" && value > 0) continue;
    throw new UsageError("bad_option", `${where}: ${name} must be a positive number, not ${String(value)}.`);
  }
  return limits;
}
