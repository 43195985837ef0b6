import type { Environment } from "./environment.ts";
import type { Reason, Refused } from "./outcome.ts";

/** Milliseconds between two lines about the same reason: a flood of bad tokens must not flood the log. */
const LOG_INTERVAL = 60_000;

/** Characters of a wrong value in the log. */
const MAX_FOUND = 200;

/** Where the token may be right, and the options wrong. */
const HINTS: { readonly [reason in Reason]?: string } = {
  type: ". If the issuer cannot write at+jwt, set typ: false and audience for it",
  audience: ". If that is this server, add it to audience",
};

interface Line {
  readonly written: number;
  /** Refusals since. */
  more: number;
}

/** Logs why tokens are refused. */
export class RefusalLog {
  readonly #environment: Environment;
  readonly #lines = new Map<Reason, Line>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  write({ reason, found }: Refused): void {
    const now = this.#environment.uptime();
    const last = this.#lines.get(reason);
    if (last !== undefined && now - last.written < LOG_INTERVAL) {
      last.more++;
      return;
    }
    this.#lines.set(reason, { written: now, more: 0 });
    this.#environment.log({
      // Tokens expire every day; the rest needs somebody's attention.
      level: reason === "expired" ? "info" : "warning",
      message: `OAuth: a token was refused (${reason})${HINTS[reason] ?? ""}`,
      reason,
      ...(last?.more && { more: last.more }),
      ...detailsOf(found),
    });
  }
}

function detailsOf(found: unknown): object {
  if (found === undefined) return {};
  if (found instanceof Error) return { error: found };
  return { found: (typeof found === "string" ? found : JSON.stringify(found)).slice(0, MAX_FOUND) };
}
