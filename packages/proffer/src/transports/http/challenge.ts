import { RpcError } from "../../protocol/errors.ts";
import { HttpError } from "./http-error.ts";

/** The parameters of a `WWW-Authenticate` header, such as `scope` and `resource_metadata`. */
export type Challenge = { readonly [name: string]: string };

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** What an `authenticate` hook returns for a caller whom it does not know: 401, with a challenge to send credentials. */
export function unauthorized(challenge: Challenge = {}, scheme = "Bearer"): HttpError {
  return challengeError(401, "This server wants to know who is calling; send credentials.", challenge, scheme);
}

/** What an `authenticate` hook returns for a caller who may not do this: 403, with what would be needed. */
export function forbidden(challenge: Challenge = {}, scheme = "Bearer"): HttpError {
  return challengeError(403, "These credentials do not allow this.", challenge, scheme);
}

function challengeError(status: number, message: string, challenge: Challenge, scheme: string): HttpError {
  const error = new RpcError("invalid_request", message);
  return new HttpError(status, error, ["www-authenticate", writeChallenge(challenge, scheme)]);
}

/**
 * Writes a challenge so that nothing in it can end its quotes or its line: it may hold texts that came from outside.
 * What a quoted string cannot hold is left out (RFC 9110, section 5.6.4).
 */
function writeChallenge(challenge: Challenge, scheme: string): string {
  const parameters = Object.entries(challenge)
    .filter(([name]) => TOKEN.test(name))
    .map(([name, value]) => `${name}="${quotable(String(value))}"`);
  const known = TOKEN.test(scheme) ? scheme : "Bearer";
  return parameters.length === 0 ? known : `${known} ${parameters.join(", ")}`;
}

function quotable(value: string): string {
  return value.replace(/[^\x20-\x7e]/g, "").replace(/["\\]/g, "\\$&");
}
