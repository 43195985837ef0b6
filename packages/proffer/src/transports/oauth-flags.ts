import { UsageError } from "../support/usage-error.ts";

/** The values of the flags for OAuth. */
export interface OAuthFlags {
  readonly issuer: string;
  /** The URL of the server; with several servers, the URL before their paths. */
  readonly resource: string;
  readonly scopes: readonly string[];
}

/** Returns the value of a flag or variable. @throws {UsageError} unless it is a URL of HTTP. */
export function checkUrl(text: string, origin: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new UsageError(
    "bad_option",
    `Invalid URL in ${origin}: ${JSON.stringify(text)}. Use one such as https://login.example.com.`,
  );
}
