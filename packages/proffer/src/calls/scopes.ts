import { checkScopes } from "../support/scope.ts";
import { UsageError } from "../support/usage-error.ts";
import type { CallOrigin } from "./call.ts";

/** What a caller must be granted, as the author writes it. */
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
 * a misspelled name would open what it should protect.
 */
export function toScoped(options: ScopeOptions, names: () => Iterable<string>, where: string): Scoped {
  const { scopes, paramScopes } = options;
  if (scopes === undefined && paramScopes === undefined) return NO_SCOPES;
  const known = new Set(names());
  const params = Object.entries(paramScopes ?? {}).map(([name, list]): [string, readonly string[]] => {
    if (known.has(name)) return [name, checkScopes(list, `${where}: paramScopes.${name}`)];
    throw new UsageError(
      "bad_option",
      `${where}: paramScopes has "${name}", which is none of its arguments: ${[...known].join(", ")}.`,
    );
  });
  return {
    scopes: scopes === undefined ? undefined : orNone(checkScopes(scopes, `${where}: scopes`)),
    paramScopes: params.length === 0 ? undefined : new Map(params),
  };
}

function orNone(scopes: readonly string[]): readonly string[] | undefined {
  return scopes.length === 0 ? undefined : scopes;
}

/**
 * Whether the caller was granted these scopes. The operating system has authorized the client of a local process: its
 * scopes count only if its principal has some. Over HTTP, a caller without scopes may use nothing that needs one.
 */
export function covers(
  { principal, transport }: Pick<CallOrigin, "principal" | "transport">,
  needed: readonly string[],
): boolean {
  if (needed.length === 0) return true;
  const granted: unknown = principal?.scopes;
  if (granted === undefined) return transport !== "http";
  // A string would contain parts of its scopes.
  return Array.isArray(granted) && needed.every((scope) => granted.includes(scope));
}
