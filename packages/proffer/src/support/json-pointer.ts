/** Escapes a name for use as one token of an RFC 6901 pointer. */
export function escapeToken(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Returns the name that a token of an RFC 6901 pointer means. */
export function unescapeToken(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}
