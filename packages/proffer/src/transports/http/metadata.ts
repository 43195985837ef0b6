import type { HeaderList, HttpExchange } from "./exchange.ts";
import { HttpError, sendError } from "./http-error.ts";

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
const ANY_ORIGIN: HeaderList = ["access-control-allow-origin", "*"];

const DOCUMENT_HEADERS: HeaderList = [
  ...["content-type", "application/json"],
  ...["cache-control", "public, max-age=300"],
  ...["x-content-type-options", "nosniff"],
  ...ANY_ORIGIN,
];

const PREFLIGHT_HEADERS: HeaderList = [
  ...ANY_ORIGIN,
  ...["access-control-allow-methods", METHODS],
  // Clients send MCP-Protocol-Version.
  ...["access-control-allow-headers", "*"],
];

/**
 * Answers a request under `/.well-known/` without authentication. A path without a document gets 404: after 401 some
 * clients give up, because they look for metadata in several places.
 */
export function answerMetadata(exchange: HttpExchange, document: string | undefined): void {
  exchange.extraHeaders = undefined;
  const { method } = exchange;
  if (document === undefined) sendError(exchange, new HttpError(404, "Not found.", ANY_ORIGIN));
  else if (method === "OPTIONS") exchange.send(204, PREFLIGHT_HEADERS);
  else if (method === "GET" || method === "HEAD") {
    exchange.send(200, DOCUMENT_HEADERS, method === "HEAD" ? undefined : document);
  } else
    sendError(exchange, new HttpError(405, `Only ${METHODS} are allowed here.`, ["allow", METHODS, ...ANY_ORIGIN]));
}
