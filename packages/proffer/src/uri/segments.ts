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
