/** The oldest revision without `initialize`: each request has the facts of the handshake. */
const STATELESS = "2026-07-28";

/** Whether connections on a revision begin with `initialize`. */
export function hasHandshake(revision: string): boolean {
  return revision < STATELESS;
}

export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns an object without the members that are undefined. */
export function defined<Part extends object>(members: Part): { [Name in keyof Part]?: Exclude<Part[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}

/** The size of a value as JSON. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
