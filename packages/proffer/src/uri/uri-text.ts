// The text of URIs: percent-encoding (RFC 3986, section 2.1) and the segments of a path.

const TRIPLET_OR_FOREIGN = /%[0-9A-Fa-f]{2}|%|[^%A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]+/g;

/** Encodes all but unreserved characters. @throws {URIError} for a lone surrogate. */
export function encodeUnreserved(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, encodeAscii);
}

/** Encodes all but unreserved and reserved characters and triplets. @throws {URIError} for a lone surrogate. */
export function encodeReserved(text: string): string {
  return text.replace(TRIPLET_OR_FOREIGN, keepTriplet);
}

function keepTriplet(found: string): string {
  return found.length === 3 && found.startsWith("%") ? found : encodeURIComponent(found);
}

function encodeAscii(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Decodes a text once; returns undefined if it is not percent-encoded UTF-8. */
export function decode(text: string): string | undefined {
  if (text.indexOf("%") === -1) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Counts the code points of a percent-encoded text without decoding it: continuation octets and low surrogates do not
 * count.
 */
export function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0xdc00 && code <= 0xdfff) continue;
    if (code === 0x25) {
      const octet = Number.parseInt(text.slice(at + 1, at + 3), 16);
      at += 2;
      if (octet >= 0x80 && octet < 0xc0) continue;
    }
    count++;
  }
  return count;
}

/**
 * Removes the empty segments of a path: `a://b//c/` becomes `a://b/c`. The "//" after a scheme stays, and so does a
 * single "/" before the first segment of a URI without a scheme. Query and fragment are not changed.
 */
export function dropEmptySegments(uri: string): string {
  const end = pathEnd(uri);
  const path = uri.slice(0, end);
  const scheme = path.indexOf("://");
  const start = scheme > 0 && path.indexOf("/") === scheme + 1 ? scheme + 3 : path.startsWith("/") ? 1 : 0;
  if (!path.startsWith("/", start) && !path.endsWith("/") && path.indexOf("//", start) === -1) return uri;
  const segments = path.slice(start).split("/");
  return path.slice(0, start) + segments.filter((segment) => segment !== "").join("/") + uri.slice(end);
}

/** Returns the position where the path of a URI ends: at its query, its fragment or its end. */
export function pathEnd(uri: string): number {
  const hash = uri.indexOf("#");
  const questionMark = uri.indexOf("?");
  if (questionMark === -1) return hash === -1 ? uri.length : hash;
  return hash === -1 || questionMark < hash ? questionMark : hash;
}

const ENCODED_DOT_SEGMENT = /(?:^|[/\\])((?:\.|%2e){1,2})(?=$|[/\\])/i;
const PLAIN_DOT_SEGMENT = /(?:^|\/)(\.{1,2})(?=$|\/)/;

/** Returns the first segment "." or ".." of a URI's path as written, or undefined. */
export function dotSegment(uri: string, decoded: boolean): string | undefined {
  // Fast path: most URIs contain nothing that could be a dot segment.
  if (uri.indexOf("/.") === -1 && uri.charCodeAt(0) !== DOT && uri.indexOf("%2") === -1 && uri.indexOf("\\") === -1) {
    return undefined;
  }
  return (decoded ? ENCODED_DOT_SEGMENT : PLAIN_DOT_SEGMENT).exec(uri.slice(0, pathEnd(uri)))?.[1];
}

const DOT = 46;
