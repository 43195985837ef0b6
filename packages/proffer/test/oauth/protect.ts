import type { LogEntry, Principal } from "proffer";
import type { HttpError, HttpRequest, Protection } from "proffer/http";
import type { OAuthOptions } from "proffer/oauth";
import { OAuthProtection } from "../../src/oauth/oauth.ts";
import { type Environment, toSettings } from "../../src/oauth/settings.ts";

export interface Protected {
  readonly protection: Protection;
  readonly clock: TestClock;
  readonly logged: LogEntry[];
  /** Sends credentials to the hook without HTTP. */
  try(authorization?: string, query?: string, address?: string): Promise<Principal | HttpError | undefined>;
}

/** The clocks of a protection, which move only when a test says so. */
export class TestClock {
  /** Milliseconds since 1970. */
  time = Date.now();
  uptime = 0;

  pass(milliseconds: number): void {
    this.time += milliseconds;
    this.uptime += milliseconds;
  }
}

/** Creates the protection of `oauth()` with a clock that stands still, and a short time limit. */
export function protect(options: OAuthOptions, changes: Partial<Environment> = {}): Protected {
  const clock = new TestClock();
  const logged: LogEntry[] = [];
  const log = (entry: LogEntry) => void logged.push(entry);
  const environment: Environment = {
    now: () => clock.time,
    uptime: () => clock.uptime,
    fetchTimeout: 30_000,
    log,
    report: () => {},
    ...changes,
  };
  const protection = new OAuthProtection(toSettings(options), environment);
  return { protection, clock, logged, try: async (...values) => protection.authenticate(requestOf(...values)) };
}

export function requestOf(authorization?: string, query = "", address?: string): HttpRequest {
  const header = (name: string) => (name === "authorization" ? authorization : undefined);
  return { method: "POST", path: "/mcp", query, address, raw: undefined, header };
}

/** The status of a refusal; 200 for a principal. */
export function statusOf(outcome: unknown): number {
  return (outcome as { status?: number } | undefined)?.status ?? 200;
}

export const bearer = (token: string) => `Bearer ${token}`;
