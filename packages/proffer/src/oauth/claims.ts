import type { Principal } from "../calls/client.ts";
import { isScope } from "../support/scope.ts";
import type { Claims } from "./options.ts";
import { type Reason, Refused, type Verified } from "./refusals.ts";
import type { Includes, IssuerSettings, Settings } from "./settings.ts";

/** Characters of `sub`; OpenID Connect allows 255. */
const MAX_SUBJECT = 1024;

/** How to check the claims of one kind of token. */
interface ClaimRules {
  readonly issuer: IssuerSettings;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Seconds. */
  readonly clockTolerance: number;
  /** The members that an introspection response may leave out; empty for a JWT. */
  readonly optional: readonly string[];
}

/** Why the claims are refused; undefined if they are not. jose checks the times of a JWT, too, but only if they exist. */
export function checkClaims(claims: Claims, rules: ClaimRules): Refused | undefined {
  const { iss, aud, sub } = claims;
  const { issuer, optional } = rules;
  const isMissing = (name: string) => claims[name] === undefined && optional.includes(name);
  if (iss !== issuer.issuer && !isMissing("iss")) return new Refused("issuer", iss);
  if (!isFor(aud, issuer.audience) && !isMissing("aud")) return new Refused("audience", aud);
  const time = timeProblem(claims, rules, isMissing);
  if (time !== undefined) return new Refused(time);
  if (!isSubject(sub) && !(isMissing("sub") && clientOf(claims) !== undefined)) return new Refused("subject");
  // As a bearer token it would lose the binding that its issuer relies on.
  if (claims.cnf !== undefined) return new Refused("bound");
  if (!issuer.typed && (claims.nonce !== undefined || claims.at_hash !== undefined)) return new Refused("identity");
  return undefined;
}

function isFor(aud: unknown, expected: readonly string[]): boolean {
  const listed: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return listed.some((each) => expected.includes(each as string));
}

function timeProblem(
  { exp, nbf, iat }: Claims,
  { now, clockTolerance }: ClaimRules,
  isMissing: (name: string) => boolean,
): Reason | undefined {
  const seconds = Math.floor(now / 1000);
  const isPast = (value: unknown) => Number.isFinite(value) && (value as number) <= seconds + clockTolerance;
  if (!isMissing("exp")) {
    if (!Number.isFinite(exp)) return "time";
    if ((exp as number) <= seconds - clockTolerance) return "expired";
  }
  if (!isPast(iat) && !isMissing("iat")) return "time";
  return nbf === undefined || isPast(nbf) ? undefined : "time";
}

/** Control characters have no place in an identifier, and could forge lines of a log. */
function isSubject(sub: unknown): boolean {
  return isText(sub) && sub.length <= MAX_SUBJECT && !/\p{Cc}/u.test(sub);
}

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
    // A user who registers many clients has one share.
    caller: JSON.stringify(subject === undefined ? [issuer, null, client ?? null] : [issuer, subject]),
    issuer,
    subject,
    client,
    scopes: scopesOf(claims[scopeClaim], settings.includes),
    claims: freeze(claims),
    ...expires,
  };
}

/** The client that a token was issued to: RFC 9068, OpenID Connect, Okta, Entra v1. */
function clientOf({ client_id, azp, cid, appid }: Claims): string | undefined {
  return [client_id, azp, cid, appid].find(isText);
}

/** The scopes of a claim, with those that they include. A claim of another type grants nothing. */
function scopesOf(claim: unknown, includes: Includes): readonly string[] {
  const granted = [typeof claim === "string" ? claim.split(" ") : claim].flat().filter(isScope);
  return [...new Set(granted.flatMap((scope) => [scope, ...(includes.get(scope) ?? [])]))];
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
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
