import type { Principal } from "../calls/client.ts";
import { requirePeer } from "../support/peer.ts";
import { builtinModule } from "../support/run-time.ts";
import { UsageError } from "../support/usage-error.ts";
import type { Metadata, ProtectedServer, Protection } from "../transports/http/authentication.ts";
import { hasSecretInQuery, MAX_HEADER, metadataPath, readBearer } from "../transports/http/challenge.ts";
import type { HttpRequest } from "../transports/http/exchange.ts";
import type { HttpError } from "../transports/http/http-error.ts";
import { toPrincipal } from "./claims.ts";
import { Issuer } from "./issuer.ts";
import type { OAuthOptions } from "./options.ts";
import { Challenges, type Outcome, Refused, refusalLog } from "./refusals.ts";
import { createEnvironment, type Environment, type Settings, toSettings } from "./settings.ts";
import { introspector, jwtVerifier, type VerifyToken } from "./verify.ts";

/**
 * Protects a server with OAuth access tokens, as the MCP specification describes: verifies tokens, publishes the metadata
 * by which clients find the authorization server, and answers other requests with challenges. Needs the package `jose`.
 * @throws {UsageError} for invalid options, or if `jose` is not installed.
 *
 * @example
 * await serveHttp(server, {
 *   authenticate: oauth({
 *     issuer: "https://login.example.com",
 *     resource: "https://tools.example.com/mcp",
 *     scopes: ["orders:read"],
 *   }),
 * });
 */
export function oauth(options: OAuthOptions): Protection {
  requirePeer("jose", "oauth()");
  return new OAuthProtection(toSettings(options), createEnvironment());
}

/** How nearly every client writes the scheme. */
const PREFIX = "Bearer ";

/** Protects one server with the access tokens of its authorization servers. */
export class OAuthProtection implements Protection {
  readonly metadata: Metadata;
  readonly #settings: Settings;
  readonly #environment: Environment;
  readonly #issuers: ReadonlyMap<unknown, Issuer>;
  readonly #verifyJwt: VerifyToken;
  /** Undefined if tokens that are not JWTs are refused. */
  readonly #introspect: VerifyToken | undefined;
  readonly #challenges: Challenges;
  readonly #logRefusal: (refused: Refused) => void;
  readonly #cache: TokenCache | undefined;
  readonly #digest = digestOf();
  /** Tokens that are being verified: requests with the same token wait for one verification. */
  readonly #pending = new Map<string, Promise<Outcome>>();
  readonly #servers: ProtectedServer[] = [];

  constructor(settings: Settings, environment: Environment) {
    this.#settings = settings;
    this.#environment = environment;
    this.#issuers = new Map(settings.issuers.map((each) => [each.issuer, new Issuer(each, environment)]));
    this.#verifyJwt = jwtVerifier(settings, this.#issuers, environment);
    const { introspection } = settings;
    this.#introspect = introspection && introspector(settings, introspection, this.#issuers, environment);
    const firstScopes = () => this.#firstScopes();
    this.metadata = resourceMetadata(settings, firstScopes);
    this.#challenges = new Challenges(new URL(this.metadata.path, settings.resource).href, firstScopes);
    this.#logRefusal = refusalLog(environment);
    this.#cache = settings.cache && new TokenCache(settings.cache.size, environment);
  }

  /** A known token creates no promise. */
  readonly authenticate = (
    request: HttpRequest,
  ): Principal | HttpError | undefined | Promise<Principal | HttpError> => {
    if (hasSecretInQuery(request)) return this.#challenges.malformed();
    const header = request.header("authorization");
    // A text that is known was well-formed when it was verified.
    const known = header?.startsWith(PREFIX) ? this.#find(header) : undefined;
    if (known !== undefined) return known;
    const token = readBearer(request);
    // Credentials of another kind do not make a caller anonymous.
    if (token === undefined) {
      return this.#settings.anonymous && header === undefined ? undefined : this.#challenges.missing();
    }
    return typeof token === "string" ? this.#identify(token, request) : this.#challenges.malformed();
  };

  recognizes(request: HttpRequest): boolean {
    return hasSecretInQuery(request) || readBearer(request) !== undefined;
  }

  challenge(scopes: readonly string[], principal: Principal | undefined): HttpError {
    return principal === undefined ? this.#challenges.missing(scopes) : this.#challenges.insufficient(scopes);
  }

  attach(server: ProtectedServer): void {
    const { resource } = this.#settings;
    // A proxy in front may have removed the start of the path.
    if (server.path !== undefined && !new URL(resource).pathname.endsWith(server.path === "/" ? "" : server.path)) {
      throw new UsageError(
        `${server.where}: the resource of oauth() is ${resource}, but the server is at ${server.path}. Each server needs its own oauth(), with its URL as resource.`,
      );
    }
    this.#servers.push(server);
    this.#environment.log = server.log;
    this.#environment.report = server.report;
    server.addReadinessCheck("keys", async () => {
      const ready = await Promise.all([...this.#issuers.values()].map((issuer) => issuer.ready()));
      return ready.every((each) => each);
    });
  }

  /** The scopes that a client should ask for at first. */
  #firstScopes(): readonly string[] {
    const { scopes, askAll } = this.#settings;
    return askAll ? [...new Set([...scopes, ...this.#servers.flatMap((server) => server.scopes())])] : scopes;
  }

  /** The outcome for a header that was verified just before. */
  #find(header: string): Principal | HttpError | undefined {
    if (header.length > MAX_HEADER) return undefined;
    const known = this.#cache?.find(this.#digest(header));
    return known instanceof Refused ? this.#refuse(known) : known;
  }

  async #identify(token: string, request: HttpRequest): Promise<Principal | HttpError> {
    const key = this.#digest(PREFIX + token);
    const outcome = await this.#verify(key, token, request);
    if (outcome instanceof Refused) return this.#refuse(outcome, key);
    // Not shared with other requests: a hook that never settles fails only its own request.
    const principal = await toPrincipal(outcome, this.#settings);
    if (principal === undefined) return this.#refuse(new Refused("principal"), key);
    const lacking = this.#settings.scopes.find((scope) => !principal.scopes?.includes(scope));
    if (lacking !== undefined) return this.#refuse(new Refused("scope", lacking), key);
    this.#cache?.add(key, principal, outcome.seconds);
    return principal;
  }

  #verify(key: string, token: string, request: HttpRequest): Promise<Outcome> {
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending;
    // A JWT has two dots. Other tokens are opaque, whatever they look like.
    const verify = (token.split(".").length !== 3 && this.#introspect) || this.#verifyJwt;
    const begun = verify(token, request).finally(() => this.#pending.delete(key));
    this.#pending.set(key, begun);
    return begun;
  }

  /** Refuses a token, and remembers that if it was verified just now. */
  #refuse(refused: Refused, key?: string): HttpError {
    if (key !== undefined && refused.reason !== "unavailable") this.#cache?.add(key, refused, 0);
    this.#logRefusal(refused);
    const error = this.#challenges.refused(refused.reason);
    error.reason = refused.reason;
    return error;
  }
}

/** The document by which clients find the issuers of tokens for this server (RFC 9728). */
function resourceMetadata({ resource, issuers, metadata }: Settings, firstScopes: () => readonly string[]): Metadata {
  return {
    path: metadataPath(new URL(resource).pathname),
    get json() {
      const scopes = firstScopes();
      return JSON.stringify({
        resource,
        authorization_servers: issuers.map(({ issuer }) => issuer),
        // Clients that get no challenge ask for all of them, so these are the first ones, not the whole catalog.
        ...(scopes.length > 0 && { scopes_supported: scopes }),
        bearer_methods_supported: ["header"],
        ...metadata,
      });
    },
  };
}

/** Refused tokens that are remembered, in their own table so that they cannot displace good ones. */
export const MAX_REFUSED = 1000;
/** Milliseconds for which they are. */
export const REFUSED_TIME = 5000;

interface Entry {
  readonly value: Principal | Refused;
  /** Milliseconds since the start: a clock that is set must not make an outcome last. */
  readonly until: number;
}

/**
 * Remembers the outcome of tokens for a short time, by a digest of their text. Verifying a signature takes longer than a
 * small request.
 */
export class TokenCache {
  readonly #max: number;
  readonly #environment: Environment;
  readonly #verified = new Map<string, Entry>();
  readonly #refused = new Map<string, Entry>();

  constructor(max: number, environment: Environment) {
    this.#max = max;
    this.#environment = environment;
  }

  /** The outcome for a token that has not expired since. */
  find(key: string): Principal | Refused | undefined {
    const entry = this.#verified.get(key) ?? this.#refused.get(key);
    if (entry === undefined) return undefined;
    const { value, until } = entry;
    const expires = value instanceof Refused ? undefined : value.expires;
    const { now, uptime } = this.#environment;
    if (uptime() < until && now() < (expires ?? Number.POSITIVE_INFINITY)) return value;
    this.#verified.delete(key);
    this.#refused.delete(key);
    return undefined;
  }

  add(key: string, value: Principal | Refused, seconds: number): void {
    const now = this.#environment.uptime();
    if (value instanceof Refused) keep(this.#refused, MAX_REFUSED, key, { value, until: now + REFUSED_TIME });
    else keep(this.#verified, this.#max, key, { value, until: now + seconds * 1000 });
  }
}

/** Adds an entry; the oldest one makes room for it. */
function keep(entries: Map<string, Entry>, max: number, key: string, entry: Entry): void {
  entries.delete(key);
  const [oldest] = entries.size < max ? [] : entries.keys();
  if (oldest !== undefined) entries.delete(oldest);
  entries.set(key, entry);
}

interface NodeCrypto {
  hash?(algorithm: string, text: string, encoding: string): string;
}

/**
 * Returns the function that computes the key of a token: its SHA-256, so that heap dumps contain no tokens. Web Crypto
 * has no synchronous digest, so where there is nothing else the token is its own key.
 */
export function digestOf(): (token: string) => string {
  const crypto = builtinModule("node:crypto") as NodeCrypto | undefined;
  return (token) => crypto?.hash?.("sha256", token, "base64") ?? token;
}
