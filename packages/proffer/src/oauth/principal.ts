import type { Principal } from "../calls/principal.ts";
import { clientOf, isText } from "./claims.ts";
import type { Claims } from "./options.ts";
import type { Verified } from "./outcome.ts";
import { scopesOf } from "./scopes.ts";
import type { Settings } from "./settings.ts";

/** The caller that a token identifies, as `ctx.principal`. It is frozen, because requests with the same token share it. */
export interface OAuthPrincipal extends Principal {
  readonly issuer: string;
  /** The user; undefined if the client acts for itself (client credentials). */
  readonly subject: string | undefined;
  /** The client that the token was issued to, if the token says so. */
  readonly client: string | undefined;
  /** The scopes of the token, and those that they include. */
  readonly scopes: readonly string[];
  readonly claims: Claims;
}

/** The principal of a token; undefined if the author's hook refuses it. */
export async function toPrincipal(verified: Verified, settings: Settings): Promise<Principal | undefined> {
  const principal = fromClaims(verified, settings);
  if (settings.principal === undefined) return freeze(principal);
  const given = await settings.principal(principal.claims);
  if (given === undefined) return undefined;
  const changed: Principal = { ...principal, ...given };
  if (typeof given === "object" && isText(changed.id) && areScopes(changed.scopes)) return freeze(changed);
  throw new TypeError("principal must return an object such as { id, scopes } with texts, or undefined");
}

function fromClaims({ claims, issuer: { issuer, scopeClaim } }: Verified, settings: Settings): OAuthPrincipal {
  const { sub, exp } = claims;
  const client = clientOf(claims);
  // RFC 9068, section 2.2: the subject of a client that acts for itself is the client. It must not be taken for a user.
  const subject = typeof sub === "string" && sub !== client ? sub : undefined;
  const expires = typeof exp === "number" ? { expires: (exp + settings.clockTolerance) * 1000 } : {};
  return {
    // Not joined by a separator, which a subject could contain. Consent is given to one client, so it is a part.
    id: JSON.stringify([issuer, subject ?? null, client ?? null]),
    issuer,
    subject,
    client,
    scopes: scopesOf(claims[scopeClaim], settings.includes),
    claims: freeze(claims),
    ...expires,
  };
}

function areScopes(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every(isText));
}

/** Freezes a value with everything in it. A loop, because an introspection response may be nested deeply. */
function freeze<Value>(value: Value): Value {
  const open: unknown[] = [value];
  for (const each of open) {
    if (typeof each !== "object" || each === null || Object.isFrozen(each)) continue;
    Object.freeze(each);
    for (const member of Object.values(each)) open.push(member);
  }
  return value;
}
