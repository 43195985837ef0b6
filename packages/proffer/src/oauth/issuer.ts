import { parseSafeUrl } from "../outgoing/address.ts";
import type { Document } from "../outgoing/metadata.ts";
import { FetchError, type OutgoingOptions } from "../outgoing/options.ts";
import type { Environment, IssuerSettings } from "./settings.ts";

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
 * An authorization server whose tokens are accepted. Its keys are not those of jose's remote set, which fetches again for
 * each token while the endpoint fails, accepts a document of any size, and forgets its keys in an outage.
 */
export class Issuer {
  readonly settings: IssuerSettings;
  readonly #environment: Environment;
  readonly #metadata: Attempts<Document>;
  readonly #keys: Attempts<KnownKeys>;

  constructor(settings: IssuerSettings, environment: Environment) {
    this.settings = settings;
    this.#environment = environment;
    this.#metadata = new Attempts(environment, async () => {
      const { findMetadata } = await import("../outgoing/metadata.ts");
      return findMetadata(settings.issuer, this.fetching);
    });
    this.#keys = new Attempts(environment, () => this.#loadKeys());
  }

  /** For each request to it. The author wrote its address, and trusts the hosts that its metadata may name. */
  get fetching(): OutgoingOptions {
    return { timeout: this.#environment.fetchTimeout, proxy: this.settings.proxy };
  }

  /** The URL that its metadata document has under that name; undefined if it has none. @throws {FetchError} */
  async url(name: string): Promise<string | undefined> {
    const document = await this.#metadata.first();
    if (document === undefined) throw this.#metadata.error;
    const value = document[name];
    if (value === undefined) return undefined;
    const { issuer, trustedHosts } = this.settings;
    const url = parseSafeUrl(value);
    // A forged document must not make the server call hosts of its network.
    if (url && [new URL(issuer).host, ...trustedHosts].includes(url.host)) return url.href;
    const problem = url
      ? `names ${name} on ${url.host}. If that is right, add the host to trustedHosts.`
      : `has no https URL as ${name}.`;
    throw new FetchError(`The metadata of ${issuer} ${problem}`);
  }

  /** Whether keys were available once. */
  async ready(): Promise<boolean> {
    return (await this.#keys.first()) !== undefined;
  }

  /** The keys for a token with that key id; undefined if there are none now, or a new one may not be fetched yet. */
  async keysFor(id: unknown): Promise<Keys | undefined> {
    const attempts = this.#keys;
    const { value: known, error } = attempts;
    const age = this.#age();
    const isUnknown = id !== undefined && known?.ids.has(id) === false;
    // A withdrawn key must not be used after FRESH; but in an outage nobody waits for each attempt.
    const isOld = age >= (error === undefined ? FRESH : FRESH + STALE);
    if (known === undefined || isUnknown || isOld) {
      const isFetched = await attempts.run();
      // After a flood of made-up ids, a client whose key is new would throw its token away. Fixed keys have no age.
      if (isUnknown && !isFetched && age > 0) return undefined;
    } else if (age >= REFRESH) attempts.run().catch(() => {});
    return this.#age() < FRESH + STALE ? attempts.value?.keys : undefined;
  }

  /** Fixed keys do not age. */
  #age(): number {
    return typeof this.settings.jwks === "object" ? 0 : this.#environment.uptime() - this.#keys.fetched;
  }

  async #loadKeys(): Promise<KnownKeys> {
    const { issuer, jwks } = this.settings;
    try {
      const keys = await toKeys(typeof jwks === "object" ? jwks : await this.#fetchKeys(jwks));
      this.#environment.report({ type: "keys_fetched", failed: false });
      return keys;
    } catch (error) {
      this.#environment.report({ type: "keys_fetched", failed: true });
      const fallback = this.#keys.value ? "; the last ones stay in use" : "";
      const message = `OAuth: the keys of ${issuer} cannot be fetched${fallback}`;
      this.#environment.log({ level: fallback ? "warning" : "error", message, error });
      throw error;
    }
  }

  async #fetchKeys(configured: string | undefined): Promise<Document> {
    const url = configured ?? (await this.url("jwks_uri"));
    // An issuer of opaque tokens need not have keys.
    if (url === undefined) return { keys: [] };
    try {
      return await (await loadRequests()).requestJson(url, this.fetching);
    } catch (error) {
      const { status = 500 } = error as FetchError;
      // The keys have moved.
      if (status >= 400 && status < 500) this.#metadata.value = undefined;
      throw error;
    }
  }
}

/** Loaded with the first request to an authorization server. */
export const loadRequests = () => import("../outgoing/request.ts");

async function toKeys({ keys }: Document): Promise<KnownKeys> {
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) {
    throw new FetchError(`The key set must be { "keys": […] } with at most ${MAX_KEYS} keys.`);
  }
  const { createLocalJWKSet } = await loadJose();
  return { keys: createLocalJWKSet({ keys }), ids: new Set(keys.map((key) => (key as { kid?: unknown } | null)?.kid)) };
}

/** The optional peer that verifies signatures. */
export type Jose = typeof import("jose");

/** A set of keys, which selects the key of a token. */
type Keys = ReturnType<Jose["createLocalJWKSet"]>;

/** Loads the package with the first token, so that it does not delay the start. */
export function loadJose(): Promise<Jose> {
  return import("jose");
}

/** Milliseconds between two attempts. */
export const COOL_DOWN = 30_000;

/**
 * Fetches a value at most once in 30 seconds, whatever the outcome, for all requests that wait for it: otherwise
 * made-up tokens could make this server flood the authorization server.
 */
export class Attempts<Value> {
  /** The last fetched value. */
  value: Value | undefined;
  /** When it was fetched, by the environment's uptime. */
  fetched = Number.NEGATIVE_INFINITY;
  /** Why the last attempt failed; undefined if it did not. */
  error: unknown;
  readonly #environment: Environment;
  readonly #work: () => Promise<Value>;
  #begun = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;

  constructor(environment: Environment, work: () => Promise<Value>) {
    this.#environment = environment;
    this.#work = work;
  }

  /** The value, which is fetched if there is none; undefined if that fails or the last attempt was too recent. */
  async first(): Promise<Value | undefined> {
    if (this.value === undefined) await this.run();
    return this.value;
  }

  /** Fetches the value, or waits until it is fetched; false if that failed or the last attempt was too recent. */
  async run(): Promise<boolean> {
    const now = this.#environment.uptime();
    if (this.#running === undefined && now - this.#begun >= COOL_DOWN) {
      this.#begun = now;
      this.#running = this.#attempt();
    }
    if (this.#running === undefined) return false;
    await this.#running;
    return this.error === undefined;
  }

  async #attempt(): Promise<void> {
    try {
      this.value = await this.#work();
      this.fetched = this.#environment.uptime();
      this.error = undefined;
    } catch (error) {
      this.error = error;
    }
    this.#running = undefined;
  }
}
