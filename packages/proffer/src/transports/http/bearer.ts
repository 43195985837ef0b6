import { challengeError } from "./challenge.ts";
import type { HttpRequest } from "./exchange.ts";
import type { HttpError } from "./http-error.ts";

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
