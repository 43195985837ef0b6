import { RpcError } from "../../protocol/errors.ts";
import { HttpError } from "./http-error.ts";

/** The parameters of a `WWW-Authenticate` header, such as `scope` and `resource_metadata`. */
export type Challenge = { readonly [name: string]: string };

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * The return value of `authenticate` for an unknown caller: 401, with a challenge to send credentials.
 *
 * @example
 * authenticate: async (request) => (await findUser(request.header("authorization"))) ?? unauthorized()
 */
export function unauthorized(challenge: Challenge = {}, scheme = "Bearer"): HttpError {
  return challengeError(401, "Authentication required.", challenge, scheme);
}

/**
 * The return value of `authenticate` for a caller without permission: 403, with a challenge that names the requirement.
 *
 * @example
 * authenticate: async (request) => {
 *   const user = await findUser(request.header("authorization"));
 *   if (user === undefined) return unauthorized();
 *   return user.scopes.includes("orders") ? { id: user.id } : forbidden({ scope: "orders" });
 * }
 */
export function forbidden(challenge: Challenge = {}, scheme = "Bearer"): HttpError {
  return challengeError(403, "Permission denied.", challenge, scheme);
}

function challengeError(status: number, message: string, challenge: Challenge, scheme: string): HttpError {
  const error = new RpcError("invalid_request", message);
  return new HttpError(status, error, ["www-authenticate", writeChallenge(challenge, scheme)]);
}

/**
 * Writes the `WWW-Authenticate` value. The parameters may contain text from outside, so nothing in them may end the
 * quotes or the line; characters that a quoted string cannot hold are dropped (RFC 9110, section 5.6.4).
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
