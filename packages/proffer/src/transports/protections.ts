import type { Protection } from "./http/protection.ts";
import type { OAuthFlags } from "./oauth-flags.ts";

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
