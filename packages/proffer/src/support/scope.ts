import { UsageError } from "./usage-error.ts";

/** A scope-token of OAuth (RFC 6749, appendix A.4): visible ASCII without quotes and backslashes. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Whether a text is one scope, such as "orders:write". */
export function isScope(value: unknown): value is string {
  return typeof value === "string" && SCOPE.test(value);
}

/** Returns a frozen copy. @throws {UsageError} for anything but a list of scopes. */
export function checkScopes(scopes: unknown, where: string): readonly string[] {
  if (!Array.isArray(scopes)) {
    throw new UsageError(`${where} must be an array of strings, not ${JSON.stringify(scopes)}.`);
  }
  for (const scope of scopes) {
    if (isScope(scope)) continue;
    throw new UsageError(
      `${where} has ${JSON.stringify(scope)}. A scope has no spaces, quotes, backslashes or characters outside ASCII.`,
    );
  }
  return Object.freeze([...new Set(scopes)]);
}

/**
 * Whether the caller was granted these scopes. The operating system has authorized the client of a local process: its
 * scopes count only if its principal has some. Over HTTP, a caller without scopes may use nothing that needs one.
 */
export function covers(
  {
    principal,
    transport,
  }: { readonly principal: { readonly scopes?: unknown } | undefined; readonly transport: string },
  needed: readonly string[],
): boolean {
  if (needed.length === 0) return true;
  const granted: unknown = principal?.scopes;
  if (granted === undefined) return transport !== "http";
  // A string would contain parts of its scopes.
  return Array.isArray(granted) && needed.every((scope) => granted.includes(scope));
}
