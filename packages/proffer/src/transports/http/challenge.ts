import { RpcError } from "../../protocol/errors.ts";
import type { HttpExchange, HttpRequest } from "./exchange.ts";
import { HttpError, sendError } from "./http-error.ts";

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

/** A longer header is refused unread. */
export const MAX_HEADER = 8192;

const BEARER = /^bearer(?=\s|$)/i;
/** The scheme, one space and the token (RFC 6750, section 2.1). Two headers, which some run-times join, do not match. */
const CREDENTIALS = /^bearer ([A-Za-z0-9._~+/-]+=*)$/i;

/** The parameter of RFC 6750, section 2.3, or an API key under any name. */
const IN_QUERY = /(?:^|&)(?:access_token=|[^&=]*=pfr_)/;

/** The response to credentials that no protection can read. */
export function malformedCredentials(message: string, scheme?: string): HttpError {
  return challengeError(400, message, { error: "invalid_request" }, scheme);
}

/** Returns the token of `Authorization: Bearer`; undefined without the header and for other schemes. */
export function readBearer(request: HttpRequest): string | HttpError | undefined {
  const value = request.header("authorization");
  if (value === undefined || !BEARER.test(value)) return undefined;
  const token = value.length > MAX_HEADER ? undefined : CREDENTIALS.exec(value)?.[1];
  return token ?? malformedCredentials("The Authorization header must be: Bearer, one space and a token.");
}

/** Whether the query has a token or an API key. Proxies, browsers and logs keep URLs. */
export function hasSecretInQuery({ query }: HttpRequest): boolean {
  return query !== "" && IN_QUERY.test(query);
}

/** Paths under it belong to metadata, never to a server. */
export const WELL_KNOWN = "/.well-known/";

/** The metadata of the only protected server of an origin (RFC 9728, section 3.1). */
export const ROOT_METADATA = "/.well-known/oauth-protected-resource";

/** Where clients look for the metadata of a server at this path; without one, at the root. */
export function metadataPath(path = "/"): string {
  return path === "/" ? ROOT_METADATA : ROOT_METADATA + path;
}

const METHODS = "GET, HEAD, OPTIONS";

/** Clients in web pages of any origin read it before they can sign in; it contains nothing secret. */
export const ANY_ORIGIN: readonly string[] = ["access-control-allow-origin", "*"];

const DOCUMENT_HEADERS: readonly string[] = [
  ...["content-type", "application/json"],
  ...["cache-control", "public, max-age=300"],
  ...["x-content-type-options", "nosniff"],
  ...ANY_ORIGIN,
];

const PREFLIGHT_HEADERS: readonly string[] = [
  ...ANY_ORIGIN,
  ...["access-control-allow-methods", METHODS],
  // Clients send MCP-Protocol-Version.
  ...["access-control-allow-headers", "*"],
];

/**
 * Answers a request for a document without authentication. A path without a document gets 404: after 401 some
 * clients give up, because they look for metadata in several places.
 */
export function answerMetadata(exchange: HttpExchange, document: string | undefined, headers = DOCUMENT_HEADERS): void {
  exchange.extraHeaders = undefined;
  const { method } = exchange;
  if (document === undefined) sendError(exchange, new HttpError(404, "Not found.", ANY_ORIGIN));
  else if (method === "OPTIONS") exchange.send(204, PREFLIGHT_HEADERS);
  else if (method === "GET" || method === "HEAD") {
    exchange.send(200, headers, method === "HEAD" ? undefined : document);
  } else
    sendError(exchange, new HttpError(405, `Only ${METHODS} are allowed here.`, ["allow", METHODS, ...ANY_ORIGIN]));
}
