import type { CallerMarks } from "../calls/caller.ts";
import { hasShare } from "../calls/in-flight.ts";
import { shareOf } from "../transports/http/options.ts";
import { checkClaims } from "./claims.ts";
import { type Issuer, type Jose, loadJose, loadRequests } from "./issuer.ts";
import { type Outcome, type Reason, Refused } from "./refusals.ts";
import type { Environment, IntrospectionSettings, Settings } from "./settings.ts";

/** Three parts of base64url; the standard alphabet or padding would give one token several spellings. */
const JWS = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Characters of a key id. */
const MAX_KEY_ID = 256;

const REASON_OF: { readonly [code: string]: Reason } = {
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: "signature",
  ERR_JWKS_NO_MATCHING_KEY: "key",
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: "ambiguous",
};

/** Verifies a token of a request; never rejects. */
export type VerifyToken = (token: string, request: CallerMarks) => Promise<Outcome>;

/**
 * Verifies access tokens in the form of JWTs (RFC 9068). Of the unverified parts, only `iss` and `kid` choose a key, from
 * those of the configured issuer: `jku`, `jwk`, `x5u` and `x5c` are never read. Everything that needs no key is checked
 * before keys are fetched.
 */
export function jwtVerifier(
  settings: Settings,
  issuers: ReadonlyMap<unknown, Issuer>,
  environment: Environment,
): VerifyToken {
  const { algorithms, clockTolerance, cache } = settings;
  return async (token) => {
    const jose = await loadJose();
    const parts = decode(jose, token);
    if (parts === undefined) return new Refused("malformed");
    const { header, claims } = parts;
    const issuer = issuers.get(claims.iss);
    if (issuer === undefined) return new Refused("issuer", claims.iss);
    if (!algorithms.includes(String(header.alg))) return new Refused("algorithm", header.alg);
    if (!isAccessToken(header.typ, issuer.settings.typed)) return new Refused("type", header.typ);
    const { kid } = header;
    if (kid !== undefined && (typeof kid !== "string" || kid.length > MAX_KEY_ID)) return new Refused("key");
    const now = environment.now();
    const refused = checkClaims(claims, { issuer: issuer.settings, now, clockTolerance, optional: [] });
    if (refused !== undefined) return refused;
    const keys = await issuer.keysFor(kid);
    if (keys === undefined) return new Refused("unavailable");
    try {
      // The same clock as above: otherwise a token could expire between the two checks.
      const options = { algorithms: [...algorithms], clockTolerance, currentDate: new Date(now) };
      const { payload } = await jose.jwtVerify(token, keys, options);
      return { issuer: issuer.settings, claims: payload, seconds: cache?.seconds ?? 0 };
    } catch (error) {
      // An error without a code comes from Web Crypto: the key is too short or damaged.
      const { code = "ERR_JWKS_NO_MATCHING_KEY" } = error as { code?: string };
      return new Refused(REASON_OF[code] ?? "malformed");
    }
  };
}

/** The parts of a token, not verified; undefined if it is not a JWT. */
function decode(jose: Jose, token: string) {
  if (!JWS.test(token)) return undefined;
  try {
    return { header: jose.decodeProtectedHeader(token), claims: jose.decodeJwt(token) };
  } catch {
    return undefined;
  }
}

/** ID tokens, authorization grants and other JWTs of the same issuer must not pass as access tokens (RFC 8725). */
function isAccessToken(typ: unknown, typed: boolean): boolean {
  if (typ === undefined) return !typed;
  const name = String(typ)
    .toLowerCase()
    .replace(/^application\//, "");
  return name === "at+jwt" || (!typed && name === "jwt");
}

/** Requests in flight: each token that nobody has seen costs one. */
export const MAX_INTROSPECTIONS = 64;

/** Verifies opaque tokens by asking their authorization server (RFC 7662). */
export function introspector(
  { clockTolerance }: Settings,
  introspection: IntrospectionSettings,
  issuers: ReadonlyMap<unknown, Issuer>,
  environment: Environment,
): VerifyToken {
  const { clientId, clientSecret, endpoint, audience, seconds } = introspection;
  const optional = ["iss", "exp", "iat", "sub", ...(audience === false ? ["aud"] : [])];
  const issuer = issuers.get(introspection.issuer) as Issuer;
  const inFlight = new Set<CallerMarks>();
  const share = shareOf(MAX_INTROSPECTIONS);
  const isBusy = (sender: CallerMarks) =>
    inFlight.size >= MAX_INTROSPECTIONS ||
    (inFlight.size * 2 >= MAX_INTROSPECTIONS && hasShare(sender, share, inFlight));

  return async (token, { address }) => {
    // An object for each: one request object could be verified twice at once.
    const sender: CallerMarks = { address };
    if (isBusy(sender)) return new Refused("unavailable", "too many introspections in flight");
    inFlight.add(sender);
    try {
      const url = endpoint ?? (await issuer.url("introspection_endpoint"));
      if (url === undefined) throw new Error(`${issuer.settings.issuer} has no introspection_endpoint. Set endpoint.`);
      const { basicCredentials, formRequest, requestJson } = await loadRequests();
      const authorization = basicCredentials(clientId, clientSecret);
      const form = new URLSearchParams({ token, token_type_hint: "access_token" });
      const claims = await requestJson(url, { ...issuer.fetching, ...formRequest(form, { authorization }) });
      // Strictly: "true" or 1 would come from something else than an authorization server.
      if (claims.active !== true) return new Refused("inactive");
      const { token_type: type } = claims;
      if (type !== undefined && String(type).toLowerCase() !== "bearer") return new Refused("type", type);
      const rules = { issuer: issuer.settings, now: environment.now(), clockTolerance, optional };
      return checkClaims(claims, rules) ?? { issuer: issuer.settings, claims, seconds };
    } catch (error) {
      // Not the token's fault: the client must keep it.
      return new Refused("unavailable", error);
    } finally {
      inFlight.delete(sender);
    }
  };
}
