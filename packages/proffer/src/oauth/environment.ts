import { consoleLog, type LogSink } from "../support/log.ts";
import type { ProtectedServer } from "../transports/http/protection.ts";

/** The clocks, limits and log that the parts of a protection share. Tests replace the clock and the time limit. */
export interface Environment {
  /** Milliseconds since 1970, for the times in tokens. */
  now(): number;
  /** Milliseconds since the start, for intervals: nobody can set this clock back. */
  uptime(): number;
  /** Milliseconds for a request to an authorization server. */
  readonly fetchTimeout: number;
  /** The log of the protected server. */
  log: LogSink;
  report: ProtectedServer["report"];
}

/** Milliseconds for a request to an authorization server. */
export const FETCH_TIMEOUT = 5000;

export function createEnvironment(): Environment {
  return { now: Date.now, uptime: () => performance.now(), fetchTimeout: FETCH_TIMEOUT, log: consoleLog, report() {} };
}
