import { Attempts } from "./attempts.ts";
import type { Environment } from "./environment.ts";
import { FetchError, fetchJson } from "./fetch-json.ts";
import type { IssuerMetadata } from "./issuer-metadata.ts";
import { type Keys, loadJose } from "./jose.ts";
import type { IssuerSettings } from "./settings.ts";

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
export class KeySet {
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
