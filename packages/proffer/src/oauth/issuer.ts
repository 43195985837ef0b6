import type { Environment } from "./environment.ts";
import { Attempts, FetchError, fetchJson } from "./fetch-json.ts";
import { type Keys, loadJose } from "./jose.ts";
import { type IssuerSettings, parseSafeUrl } from "./settings.ts";

/** An authorization server whose tokens are accepted. */
export class Issuer {
  readonly settings: IssuerSettings;
  readonly metadata: IssuerMetadata;
  readonly keys: KeySet;

  constructor(settings: IssuerSettings, environment: Environment) {
    this.settings = settings;
    this.metadata = new IssuerMetadata(settings, environment);
    this.keys = new KeySet(settings, this.metadata, environment);
  }
}

type Document = { readonly [member: string]: unknown };

/** Finds the URLs of an issuer by its metadata document (RFC 8414, OpenID Connect Discovery). */
class IssuerMetadata {
  readonly #settings: IssuerSettings;
  readonly #environment: Environment;
  readonly #attempts: Attempts<Document>;

  constructor(settings: IssuerSettings, environment: Environment) {
    this.#settings = settings;
    this.#environment = environment;
    this.#attempts = new Attempts(environment, () => this.#find());
  }

  /** The URL that the document has under that name; undefined if it has none. @throws {FetchError} */
  async url(name: string): Promise<string | undefined> {
    const document = await this.#attempts.first();
    if (document === undefined) throw this.#attempts.error;
    const value = document[name];
    if (value === undefined) return undefined;
    const { issuer, trustedHosts } = this.#settings;
    const url = parseSafeUrl(value);
    // A forged document must not make the server call hosts of its own network.
    if (url && [new URL(issuer).host, ...trustedHosts].includes(url.host)) return url.href;
    const problem = url
      ? `names ${name} on ${url.host}. If that is right, add the host to trustedHosts.`
      : `has no https URL as ${name}.`;
    throw new FetchError(`The metadata of ${issuer} ${problem}`);
  }

  /** Fetches the document again when a URL is needed next. */
  forget(): void {
    this.#attempts.value = undefined;
  }

  async #find(): Promise<Document> {
    const { issuer } = this.#settings;
    let failure: unknown;
    for (const url of locationsOf(issuer)) {
      try {
        const document = await fetchJson(url, this.#environment);
        // Any other spelling is another issuer (RFC 8414, section 3.3).
        if (document.issuer === issuer) return document;
        failure = new FetchError(`${url} is the metadata of another issuer: ${JSON.stringify(document.issuer)}`, 200);
      } catch (error) {
        failure = error;
        const { status = 500 } = error as FetchError;
        // The server is down: the other locations would not answer either.
        if (status >= 500) break;
      }
    }
    throw failure;
  }
}

/** Where the metadata of an issuer can be, in the order of the MCP specification. */
function locationsOf(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const oauth = `${origin}/.well-known/oauth-authorization-server${path}`;
  const openid = `${origin}/.well-known/openid-configuration${path}`;
  return path === "" ? [oauth, openid] : [oauth, openid, `${origin}${path}/.well-known/openid-configuration`];
}

/** Milliseconds for which keys are used without asking again. */
export const FRESH = 10 * 60_000;

/** Milliseconds for which they are used afterwards, if the authorization server does not answer. */
export const STALE = 60 * 60_000;

/** From this age on, new keys are fetched in the background. */
const REFRESH = 0.8 * FRESH;

/** Keys of one issuer. */
export const MAX_KEYS = 100;

interface KnownKeys {
  readonly keys: Keys;
  readonly ids: ReadonlySet<unknown>;
}

/**
 * The keys of one issuer. jose's own remote set fetches again for each token while the endpoint fails, accepts a document
 * of any size, and forgets its keys in an outage.
 */
class KeySet {
  readonly #settings: IssuerSettings;
  readonly #environment: Environment;
  readonly #metadata: IssuerMetadata;
  readonly #attempts: Attempts<KnownKeys>;

  constructor(settings: IssuerSettings, metadata: IssuerMetadata, environment: Environment) {
    this.#settings = settings;
    this.#metadata = metadata;
    this.#environment = environment;
    this.#attempts = new Attempts(environment, () => this.#load());
  }

  /** Whether keys were available once. */
  async ready(): Promise<boolean> {
    return (await this.#attempts.first()) !== undefined;
  }

  /** The keys for a token with that key id; undefined if there are no keys now. */
  async find(id: unknown): Promise<Keys | undefined> {
    const attempts = this.#attempts;
    const { value: known, error } = attempts;
    const age = this.#age();
    const isUnknown = id !== undefined && known?.ids.has(id) === false;
    // A withdrawn key must not be used after FRESH; but in an outage nobody waits for each attempt.
    const isOld = age >= (error === undefined ? FRESH : FRESH + STALE);
    if (known === undefined || isUnknown || isOld) await attempts.run();
    else if (age >= REFRESH) attempts.run().catch(() => {});
    return this.#age() < FRESH + STALE ? attempts.value?.keys : undefined;
  }

  /** Fixed keys do not age. */
  #age(): number {
    return typeof this.#settings.jwks === "object" ? 0 : this.#environment.uptime() - this.#attempts.fetched;
  }

  async #load(): Promise<KnownKeys> {
    const { issuer, jwks } = this.#settings;
    try {
      const keys = await toKeys(typeof jwks === "object" ? jwks : await this.#fetch(jwks));
      this.#environment.report({ type: "keys_fetched", failed: false });
      return keys;
    } catch (error) {
      this.#environment.report({ type: "keys_fetched", failed: true });
      const rest = this.#attempts.value ? "; the last ones stay in use" : "";
      const message = `OAuth: the keys of ${issuer} cannot be fetched${rest}`;
      this.#environment.log({ level: rest ? "warning" : "error", message, error });
      throw error;
    }
  }

  async #fetch(configured: string | undefined): Promise<{ readonly keys?: unknown }> {
    const url = configured ?? (await this.#metadata.url("jwks_uri"));
    // An issuer of opaque tokens need not have keys.
    if (url === undefined) return { keys: [] };
    try {
      return await fetchJson(url, this.#environment);
    } catch (error) {
      const { status = 500 } = error as FetchError;
      // The keys have moved.
      if (status >= 400 && status < 500) this.#metadata.forget();
      throw error;
    }
  }
}

async function toKeys({ keys }: { readonly keys?: unknown }): Promise<KnownKeys> {
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) {
    throw new FetchError(`The key set must be { "keys": […] } with at most ${MAX_KEYS} keys.`);
  }
  const { createLocalJWKSet } = await loadJose();
  return { keys: createLocalJWKSet({ keys }), ids: new Set(keys.map((key) => (key as { kid?: unknown } | null)?.kid)) };
}
