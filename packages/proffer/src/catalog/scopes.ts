import { checkScopes } from "../support/scope.ts";
import { UsageError } from "../support/usage-error.ts";

/** The scopes that a caller needs, as the author writes them. */
export interface ScopeOptions {
  /** The scopes that a caller needs, all of them. */
  readonly scopes?: readonly string[];
  /** More scopes for a request that has one of these arguments, whatever its value. */
  readonly paramScopes?: { readonly [argument: string]: readonly string[] };
}

/** The scopes of an item; undefined if everybody may use it. */
export interface Scoped {
  readonly scopes: readonly string[] | undefined;
  readonly paramScopes: ReadonlyMap<string, readonly string[]> | undefined;
}

const NO_SCOPES: Scoped = { scopes: undefined, paramScopes: undefined };

/**
 * Checks the scopes of an item. @throws {UsageError} for an invalid scope, or one for an argument that does not exist:
 * a misspelled name would open an item that it should protect.
 */
export function toScoped(options: ScopeOptions, names: () => Iterable<string>, where: string): Scoped {
  const { scopes, paramScopes } = options;
  if (scopes === undefined && paramScopes === undefined) return NO_SCOPES;
  const known = new Set(names());
  const params = Object.entries(paramScopes ?? {}).map(([name, list]): [string, readonly string[]] => {
    if (known.has(name)) return [name, checkScopes(list, `${where}: paramScopes.${name}`)];
    throw new UsageError(
      `${where}: paramScopes has "${name}", which is none of its arguments: ${[...known].join(", ")}.`,
    );
  });
  const needed = scopes === undefined ? [] : checkScopes(scopes, `${where}: scopes`);
  return {
    scopes: needed.length === 0 ? undefined : needed,
    paramScopes: params.length === 0 ? undefined : new Map(params),
  };
}
