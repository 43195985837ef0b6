import { UsageError } from "../support/usage-error.ts";

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether tokens and keys may be sent to or fetched from a URL: others on the network must not read or replace them. */
export function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname));
}

/** Parses a URL in the options. @throws {UsageError} */
export function checkUrl(name: string, value: unknown): URL {
  const url = parseUrl(String(value));
  if (url === undefined || !isSafe(url))
    fail(`${name} must be an https URL, or http on this machine: ${String(value)}`);
  // A fragment may be empty.
  if (url.username || url.password || url.href.includes("#"))
    fail(`${name} has credentials or a fragment: ${url.href}`);
  return url;
}

export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Reports a mistake in the options. @throws {UsageError} */
export function fail(message: string): never {
  throw new UsageError("bad_option", `oauth(): ${message}`);
}
