/** Characters of a token. Beyond that, nothing of it is parsed or hashed. */
export const MAX_TOKEN = 8192;

/** The scheme, in any case, and not as the start of another scheme's name. */
const SCHEME = /^bearer(?![\w!#$%&'*+.^`|~-])/i;
/** RFC 6750, section 2.1: one space and one token, which cannot contain a comma or a second credential. */
const CREDENTIALS = /^bearer [\w.~+/-]+=*$/i;

const START = "bearer ".length;

/** Whether a header has the scheme Bearer, well-formed or not. */
export function isBearer(header: string): boolean {
  return SCHEME.test(header);
}

/** The token in an `Authorization` header; undefined if it is malformed or too long. */
export function tokenOf(header: string): string | undefined {
  if (header.length > START + MAX_TOKEN || !CREDENTIALS.test(header)) return undefined;
  return header.slice(START);
}

/** Whether a query contains a token. Queries appear in logs and `Referer`, so OAuth 2.1 forbids it. */
export function hasToken(query: string): boolean {
  return query !== "" && new URLSearchParams(query).has("access_token");
}
