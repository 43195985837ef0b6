import { utf8Bytes } from "../support/bytes.ts";
import { checkClaims } from "./claims.ts";
import type { Environment } from "./environment.ts";
import { fetchJson } from "./fetch-json.ts";
import type { Issuer } from "./issuer.ts";
import { type Outcome, Refused } from "./refusals.ts";
import type { IntrospectionSettings, Settings } from "./settings.ts";

/** Requests in flight: each token that nobody has seen costs one. */
export const MAX_INTROSPECTIONS = 64;

/** Verifies opaque tokens by asking their authorization server (RFC 7662). */
export class Introspector {
  readonly #settings: IntrospectionSettings;
  readonly #issuer: Issuer;
  readonly #clockTolerance: number;
  readonly #environment: Environment;
  readonly #authorization: string;
  #inFlight = 0;

  constructor({ introspection, clockTolerance }: Settings, issuers: readonly Issuer[], environment: Environment) {
    this.#settings = introspection as IntrospectionSettings;
    this.#issuer = issuers.find(({ settings }) => settings.issuer === introspection?.issuer) as Issuer;
    this.#clockTolerance = clockTolerance;
    this.#environment = environment;
    const { clientId, clientSecret } = this.#settings;
    // RFC 6749, section 2.3.1: both parts are form-encoded first.
    const credentials = [clientId, clientSecret].map(formEncode).join(":");
    this.#authorization = `Basic ${btoa(String.fromCharCode(...utf8Bytes(credentials)))}`;
  }

  async verify(token: string): Promise<Outcome> {
    if (this.#inFlight >= MAX_INTROSPECTIONS) return new Refused("unavailable", "too many introspections in flight");
    this.#inFlight++;
    try {
      return this.#check(await this.#ask(token));
    } catch (error) {
      // Not the token's fault: the client must keep it.
      return new Refused("unavailable", error);
    } finally {
      this.#inFlight--;
    }
  }

  async #ask(token: string): Promise<{ readonly [member: string]: unknown }> {
    const url = this.#settings.endpoint ?? (await this.#issuer.metadata.url("introspection_endpoint"));
    if (url === undefined) throw new Error(`${this.#settings.issuer} has no introspection_endpoint. Set endpoint.`);
    return fetchJson(url, this.#environment, {
      method: "POST",
      headers: { authorization: this.#authorization, "content-type": "application/x-www-form-urlencoded" },
      body: `token=${encodeURIComponent(token)}&token_type_hint=access_token`,
    });
  }

  #check(claims: { readonly [member: string]: unknown }): Outcome {
    // Strictly: "true" or 1 would come from something else than an authorization server.
    if (claims.active !== true) return new Refused("inactive");
    const { token_type: type } = claims;
    if (type !== undefined && String(type).toLowerCase() !== "bearer") return new Refused("type", type);
    const optional = ["iss", "exp", "iat", "sub", ...(this.#settings.audience === false ? ["aud"] : [])];
    const { settings: issuer } = this.#issuer;
    const rules = { issuer, now: this.#environment.now(), clockTolerance: this.#clockTolerance, optional };
    return checkClaims(claims, rules) ?? { issuer, claims, seconds: this.#settings.seconds };
  }
}

function formEncode(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}
