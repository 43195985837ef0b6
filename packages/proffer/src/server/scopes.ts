import type { Principal } from "../calls/client.ts";
import type { Item } from "../catalog/access.ts";
import { UsageError } from "../support/usage-error.ts";
import type { ServerState } from "./server.ts";

/** Every scope that an item of the server needs now. */
export function scopesOf(server: ServerState): string[] {
  if (!server.isRestricted) return [];
  const all = itemsOf(server).flatMap(({ scopes, paramScopes }) => [
    ...(scopes ?? []),
    ...[...(paramScopes?.values() ?? [])].flat(),
  ]);
  return [...new Set(all)];
}

/** The scopes of a caller that mean something here: others are the business of other servers. */
export function keptScopes(server: ServerState, principal: Principal | undefined): string[] {
  const known = new Set(scopesOf(server));
  return (principal?.scopes ?? []).filter((scope) => known.has(scope));
}

/** @throws {UsageError} if an item needs scopes that no caller can have: a forgotten option must not open it. */
export function refuseScopes(server: ServerState, where: string): void {
  if (!server.isRestricted) return;
  const item = itemsOf(server).find(({ scopes, paramScopes }) => (scopes ?? paramScopes) !== undefined);
  if (item === undefined) return;
  const name = item.kind === "resource" ? item.uri : `"${item.name}"`;
  throw new UsageError(
    `${where}: the ${item.kind} ${name} needs scopes, but nobody is asked who they are. Set authenticate, for example to oauth(…), or remove the scopes.`,
  );
}

/** Everything that the server offers. */
export function itemsOf({ tools, prompts, resources }: ServerState): Item[] {
  return [...tools, ...prompts, ...resources];
}
