import { checkClaims } from "./claims.ts";
import type { Environment } from "./environment.ts";
import type { Issuer } from "./issuer.ts";
import { type Jose, loadJose } from "./jose.ts";
import { type Outcome, type Reason, Refused } from "./refusals.ts";
import type { Settings } from "./settings.ts";

/** Three parts of base64url; the standard alphabet or padding would give one token several spellings. */
const JWS = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Characters of a key id. */
const MAX_KEY_ID = 256;

const REASON_OF: { readonly [code: string]: Reason } = {
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: "signature",
  ERR_JWKS_NO_MATCHING_KEY: "key",
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: "ambiguous",
};

/** Verifies access tokens in the form of JWTs (RFC 9068). */
export class JwtVerifier {
  readonly #settings: Settings;
  readonly #issuers: ReadonlyMap<unknown, Issuer>;
  readonly #environment: Environment;

  constructor(settings: Settings, issuers: readonly Issuer[], environment: Environment) {
    this.#settings = settings;
    this.#issuers = new Map(issuers.map((issuer) => [issuer.settings.issuer, issuer]));
    this.#environment = environment;
  }

  /**
   * Verifies a token. Of the unverified parts, only `iss` and `kid` choose a key, from those of the configured issuer:
   * `jku`, `jwk`, `x5u` and `x5c` are never read. Everything that needs no key is checked before keys are fetched.
   */
  async verify(token: string): Promise<Outcome> {
    const jose = await loadJose();
    const parts = decode(jose, token);
    if (parts === undefined) return new Refused("malformed");
    const { header, claims } = parts;
    const issuer = this.#issuers.get(claims.iss);
    if (issuer === undefined) return new Refused("issuer", claims.iss);
    const { algorithms, clockTolerance } = this.#settings;
    if (!algorithms.includes(String(header.alg))) return new Refused("algorithm", header.alg);
    if (!isAccessToken(header.typ, issuer.settings.typed)) return new Refused("type", header.typ);
    const { kid } = header;
    if (kid !== undefined && (typeof kid !== "string" || kid.length > MAX_KEY_ID)) return new Refused("key");
    const now = this.#environment.now();
    const refused = checkClaims(claims, { issuer: issuer.settings, now, clockTolerance, optional: [] });
    if (refused !== undefined) return refused;
    const keys = await issuer.keys.find(kid);
    if (keys === undefined) return new Refused("unavailable");
    try {
      // The same clock as above: otherwise a token could expire between the two checks.
      const options = { algorithms: [...algorithms], clockTolerance, currentDate: new Date(now) };
      const { payload } = await jose.jwtVerify(token, keys, options);
      return { issuer: issuer.settings, claims: payload, seconds: this.#settings.cache?.seconds ?? 0 };
    } catch (error) {
      // An error without a code comes from Web Crypto: the key is too short or damaged.
      const { code = "ERR_JWKS_NO_MATCHING_KEY" } = error as { code?: string };
      return new Refused(REASON_OF[code] ?? "malformed");
    }
  }
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
