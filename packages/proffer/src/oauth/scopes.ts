import { checkScopes, isScope } from "../support/scope.ts";
import { fail } from "./url-check.ts";

/** The scopes that a scope contains, directly or through others. */
export type Includes = ReadonlyMap<string, readonly string[]>;

/** They are about the login, not about this server, and official clients add them where they are needed. */
const NOT_OURS = ["offline_access", "openid"];

/** Checks scopes in the options. @throws {UsageError} */
export function checkOwnScopes(name: string, scopes: unknown): readonly string[] {
  const checked = checkScopes(scopes, `oauth(): ${name}`);
  const foreign = NOT_OURS.find((scope) => checked.includes(scope));
  return foreign === undefined ? checked : fail(`${name} must not contain ${foreign}: clients ask for it themselves.`);
}

/** Closes `includes` transitively. @throws {UsageError} for an invalid scope, a cycle, or anything but lists. */
export function closeIncludes(includes: { readonly [scope: string]: readonly string[] }): Includes {
  const direct = new Map(Object.entries(includes));
  const scopes = checkOwnScopes("includes", [...direct.keys()]);
  for (const [scope, included] of direct) checkOwnScopes(`includes.${scope}`, included);
  const close = (scope: string, path: readonly string[]): readonly string[] => {
    if (path.includes(scope)) fail(`includes has a cycle: ${[...path, scope].join(" → ")}`);
    const included = direct.get(scope) ?? [];
    return [...new Set(included.flatMap((each) => [each, ...close(each, [...path, scope])]))];
  };
  return new Map(scopes.map((scope) => [scope, close(scope, [])]));
}

/** The scopes of a claim, with those that they include. A claim of another type grants nothing. */
export function scopesOf(claim: unknown, includes: Includes): readonly string[] {
  const granted = [typeof claim === "string" ? claim.split(" ") : claim].flat().filter(isScope);
  return [...new Set(granted.flatMap((scope) => [scope, ...(includes.get(scope) ?? [])]))];
}
