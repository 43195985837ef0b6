import { RpcError } from "../../protocol/errors.ts";
import { HttpError } from "./http-error.ts";

/** The parameters of a `WWW-Authenticate` header, such as `scope` and `resource_metadata`. */
export type Challenge = { readonly [name: string]: string };

/** The parsers of official clients take the first text that looks like a parameter, so free text comes last. */
const ORDER = ["error", "scope", "resource_metadata"];
const LAST = "error_description";

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

export function challengeError(status: number, message: string, challenge: Challenge, scheme = "Bearer"): HttpError {
  const error = new RpcError("invalid_request", message);
  return new HttpError(status, error, ["www-authenticate", writeChallenge(challenge, scheme)]);
}

/**
 * Writes the `WWW-Authenticate` value: one challenge, every value quoted. The parameters may contain text from outside,
 * so nothing in them may end the quotes or the line, or look like another parameter. Clients read it with regular
 * expressions that know no escapes: such characters are dropped.
 */
function writeChallenge(challenge: Challenge, scheme: string): string {
  const parameters = Object.entries(challenge)
    .map(([name, value]): [string, string] => [name, quotable(name, String(value))])
    .filter(([name, value]) => TOKEN.test(name) && value !== "")
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([name, value]) => `${name}="${value}"`);
  const known = TOKEN.test(scheme) ? scheme : "Bearer";
  return parameters.length === 0 ? known : `${known} ${parameters.join(", ")}`;
}

function rank(name: string): number {
  if (name === LAST) return ORDER.length + 1;
  const at = ORDER.indexOf(name);
  return at < 0 ? ORDER.length : at;
}

function quotable(name: string, value: string): string {
  return value.replace(name === LAST ? /[^\x20-\x7e]|["\\=]/g : /[^\x20-\x7e]|["\\]/g, "");
}
