/** The oldest revision without `initialize`: each request says what the handshake said before. */
const STATELESS = "2026-07-28";

/** Whether connections on a revision begin with `initialize`. */
export function hasHandshake(revision: string): boolean {
  return revision < STATELESS;
}

export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The size of a value as JSON. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
