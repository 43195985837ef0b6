import { RpcError } from "../protocol/errors.ts";
import { challengeError, forbidden, unauthorized } from "../transports/http/challenge.ts";
import { HttpError } from "../transports/http/http-error.ts";
import type { Reason } from "./outcome.ts";

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
