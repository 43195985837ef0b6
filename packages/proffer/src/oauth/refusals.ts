import { RpcError } from "../protocol/errors.ts";
import { challengeError, forbidden, unauthorized } from "../transports/http/challenge.ts";
import { HttpError } from "../transports/http/http-error.ts";
import type { Claims } from "./options.ts";
import type { Environment, IssuerSettings } from "./settings.ts";

/**
 * Why a token is refused, for the log only: a caller that tries tokens must not learn it. docs/oauth.md explains each.
 */
export type Reason =
  | "malformed"
  | "issuer"
  | "algorithm"
  | "type"
  | "key"
  | "ambiguous"
  | "signature"
  | "audience"
  | "expired"
  | "time"
  | "subject"
  | "bound"
  | "identity"
  | "inactive"
  | "principal"
  | "scope"
  | "unavailable";

/** A token that cannot be used. */
export class Refused {
  readonly reason: Reason;
  /** The value that is wrong, or the scope that is missing, for the log; never a part of the token's text. */
  readonly found: unknown;

  constructor(reason: Reason, found?: unknown) {
    this.reason = reason;
    this.found = found;
  }
}

/** A token that its issuer vouches for. */
export interface Verified {
  readonly issuer: IssuerSettings;
  readonly claims: Claims;
  /** Seconds for which that may be remembered. */
  readonly seconds: number;
}

export type Outcome = Verified | Refused;

/** Seconds until a client should try again while tokens cannot be verified. */
const RETRY_AFTER = "5";

/** The responses to requests that may not pass. Nothing in them depends on the request or on its token. */
export class Challenges {
  readonly #metadataUrl: string;
  /** The scopes that a client should ask for at first. */
  readonly #scopes: () => readonly string[];

  constructor(metadataUrl: string, scopes: () => readonly string[]) {
    this.#metadataUrl = metadataUrl;
    this.#scopes = scopes;
  }

  /** No credentials: without `error` (RFC 6750, section 3.1). Names the first scopes if the operation needs none. */
  missing(scopes: readonly string[] = []): HttpError {
    return unauthorized(this.#ask(scopes.length > 0 ? scopes : this.#scopes()));
  }

  /** Credentials that are not one well-formed token. */
  malformed(): HttpError {
    return challengeError(400, "Send one access token, in the Authorization header only.", {
      error: "invalid_request",
      resource_metadata: this.#metadataUrl,
    });
  }

  /** A token that was refused. */
  refused(reason: Reason): HttpError {
    if (reason === "scope") return this.insufficient(this.#scopes());
    if (reason === "unavailable") {
      // With 401 the client would throw away a token that may be good.
      const error = new RpcError("busy", "Tokens cannot be verified now. Try again later.");
      return new HttpError(503, error, ["retry-after", RETRY_AFTER]);
    }
    const description = "The access token is not valid here";
    return challengeError(401, `${description}.`, {
      error: "invalid_token",
      ...this.#ask(this.#scopes()),
      error_description: description,
    });
  }

  /** A good token without the scopes of an operation. */
  insufficient(scopes: readonly string[]): HttpError {
    return forbidden({
      error: "insufficient_scope",
      ...this.#ask(scopes),
      error_description: `This needs ${scopes.join(" ")}`,
    });
  }

  #ask(scopes: readonly string[]) {
    return { scope: scopes.join(" "), resource_metadata: this.#metadataUrl };
  }
}

/** Milliseconds between two lines about the same reason: a flood of bad tokens must not flood the log. */
const LOG_INTERVAL = 60_000;

/** Characters of a wrong value in the log. */
const MAX_FOUND = 200;

/** Where the token may be right, and the options wrong. */
const HINTS: { readonly [reason in Reason]?: string } = {
  type: ". If the issuer cannot write at+jwt, set typ: false and audience for it",
  audience: ". If that is this server, add it to audience",
};

/** Returns the function that logs why tokens are refused. */
export function refusalLog(environment: Environment): (refused: Refused) => void {
  /** The last line about each reason, and the number of refusals since. */
  const lines = new Map<Reason, { readonly written: number; more: number }>();
  return ({ reason, found }) => {
    const now = environment.uptime();
    const last = lines.get(reason);
    if (last !== undefined && now - last.written < LOG_INTERVAL) {
      last.more++;
      return;
    }
    lines.set(reason, { written: now, more: 0 });
    environment.log({
      // Tokens expire every day; the rest needs somebody's attention.
      level: reason === "expired" ? "info" : "warning",
      message: `OAuth: a token was refused (${reason})${HINTS[reason] ?? ""}`,
      reason,
      ...(last?.more && { more: last.more }),
      ...(found instanceof Error
        ? { error: found }
        : found !== undefined && { [reason === "scope" ? "missing" : "found"]: shorten(found) }),
    });
  };
}

function shorten(found: unknown): string {
  return (typeof found === "string" ? found : JSON.stringify(found)).slice(0, MAX_FOUND);
}
