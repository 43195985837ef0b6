import { UsageError } from "../support/usage-error.ts";

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Parses a URL to which tokens may be sent, or that has keys: others on the network must not read or replace them. */
export function parseSafeUrl(text: unknown): URL | undefined {
  try {
    const url = new URL(String(text));
    const { protocol, hostname } = url;
    return protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname)) ? url : undefined;
  } catch {
    return undefined;
  }
}

/** Parses a URL in the options. @throws {UsageError} */
export function checkUrl(name: string, value: unknown): URL {
  const url = parseSafeUrl(value);
  if (url === undefined) fail(`${name} must be an https URL, or http on this machine: ${String(value)}`);
  // A fragment may be empty.
  if (url.username || url.password || url.href.includes("#"))
    fail(`${name} has credentials or a fragment: ${url.href}`);
  return url;
}

/** Reports a mistake in the options. @throws {UsageError} */
export function fail(message: string): never {
  throw new UsageError("bad_option", `oauth(): ${message}`);
}
