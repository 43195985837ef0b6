import { UsageError } from "../support/usage-error.ts";
import type { Protection } from "./http/protection.ts";

/** The values of the flags for OAuth. */
export interface OAuthFlags {
  readonly issuer: string;
  /** The URL of the server; with several servers, the URL before their paths. */
  readonly resource: string;
  readonly scopes: readonly string[];
}

/**
 * Creates the protection of each server, by path: a token for one server is not valid at another. The code for OAuth is
 * loaded only here.
 * @throws {UsageError} for invalid values, or if the package jose is not installed.
 */
export async function createProtections(
  { issuer, resource, scopes }: OAuthFlags,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Protection>> {
  const { oauth } = await import("../oauth/oauth.ts");
  const create = (path: string) => {
    const own = paths.length === 1 ? resource : resource + (path === "/" ? "" : path);
    return oauth({ issuer, resource: own, scopes });
  };
  return new Map(paths.map((path) => [path, create(path)]));
}

/** Returns the value of a flag or variable. @throws {UsageError} unless it is a URL of HTTP. */
export function checkUrl(text: string, origin: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new UsageError(
    "bad_option",
    `Invalid URL in ${origin}: ${JSON.stringify(text)}. Use one such as https://login.example.com.`,
  );
}
