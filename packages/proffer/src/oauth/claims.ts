import type { Claims } from "./options.ts";
import { type Reason, Refused } from "./outcome.ts";
import type { IssuerSettings } from "./settings.ts";

/** Characters of `sub`; OpenID Connect allows 255. */
const MAX_SUBJECT = 1024;

/** How to check the claims of one kind of token. */
export interface ClaimRules {
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

/** The client that a token was issued to: RFC 9068, OpenID Connect, Okta, Entra v1. */
export function clientOf({ client_id, azp, cid, appid }: Claims): string | undefined {
  return [client_id, azp, cid, appid].find(isText);
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
