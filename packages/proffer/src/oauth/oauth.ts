import type { Principal } from "../calls/principal.ts";
import { UsageError } from "../support/usage-error.ts";
import { hasSecretInQuery, MAX_HEADER, readBearer } from "../transports/http/bearer.ts";
import type { HttpRequest } from "../transports/http/exchange.ts";
import type { HttpError } from "../transports/http/http-error.ts";
import { metadataPath } from "../transports/http/metadata.ts";
import type { Metadata, ProtectedServer, Protection } from "../transports/http/protection.ts";
import { toPrincipal } from "./claims.ts";
import { createEnvironment, type Environment } from "./environment.ts";
import type { Introspector } from "./introspection.ts";
import { Issuer } from "./issuer.ts";
import { requireJose } from "./jose.ts";
import { JwtVerifier } from "./jwt.ts";
import type { OAuthOptions } from "./options.ts";
import { Challenges, type Outcome, RefusalLog, Refused } from "./refusals.ts";
import { type Settings, toSettings } from "./settings.ts";
import { digestOf, TokenCache } from "./token-cache.ts";

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
  requireJose();
  return new OAuthProtection(toSettings(options), createEnvironment());
}

/** How nearly every client writes the scheme. */
const PREFIX = "Bearer ";

/** Protects one server with the access tokens of its authorization servers. */
export class OAuthProtection implements Protection {
  readonly metadata: Metadata;
  readonly #settings: Settings;
  readonly #environment: Environment;
  readonly #issuers: readonly Issuer[];
  readonly #jwts: JwtVerifier;
  #introspector: Promise<Introspector> | undefined;
  readonly #challenges: Challenges;
  readonly #refusals: RefusalLog;
  readonly #cache: TokenCache | undefined;
  readonly #digest = digestOf();
  /** Tokens that are being verified: requests with the same token wait for one verification. */
  readonly #pending = new Map<string, Promise<Outcome>>();
  readonly #servers: ProtectedServer[] = [];

  constructor(settings: Settings, environment: Environment) {
    this.#settings = settings;
    this.#environment = environment;
    this.#issuers = settings.issuers.map((each) => new Issuer(each, environment));
    this.#jwts = new JwtVerifier(settings, this.#issuers, environment);
    const firstScopes = () => this.#firstScopes();
    this.metadata = new ResourceMetadata(settings, firstScopes);
    this.#challenges = new Challenges(new URL(this.metadata.path, settings.resource).href, firstScopes);
    this.#refusals = new RefusalLog(environment);
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
    return typeof token === "string" ? this.#identify(token) : this.#challenges.malformed();
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
        "bad_option",
        `${server.where}: the resource of oauth() is ${resource}, but the server is at ${server.path}. Each server needs its own oauth(), with its URL as resource.`,
      );
    }
    this.#servers.push(server);
    this.#environment.log = server.log;
    this.#environment.report = server.report;
    server.addReadinessCheck("keys", async () => {
      const ready = await Promise.all(this.#issuers.map(({ keys }) => keys.ready()));
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

  async #identify(token: string): Promise<Principal | HttpError> {
    const key = this.#digest(PREFIX + token);
    const outcome = await this.#verify(key, token);
    if (outcome instanceof Refused) return this.#refuse(outcome, key);
    // Not shared with other requests: a hook that never settles fails only its own request.
    const principal = await toPrincipal(outcome, this.#settings);
    if (principal === undefined) return this.#refuse(new Refused("principal"), key);
    const lacking = this.#settings.scopes.find((scope) => !principal.scopes?.includes(scope));
    if (lacking !== undefined) return this.#refuse(new Refused("scope", lacking), key);
    this.#cache?.add(key, principal, outcome.seconds);
    return principal;
  }

  #verify(key: string, token: string): Promise<Outcome> {
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending;
    // A JWT has two dots. Other tokens are opaque, whatever they look like.
    const isOpaque = this.#settings.introspection !== undefined && token.split(".").length !== 3;
    const outcome = isOpaque ? this.#introspect(token) : this.#jwts.verify(token);
    const begun = outcome.finally(() => this.#pending.delete(key));
    this.#pending.set(key, begun);
    return begun;
  }

  /** Most servers have no opaque tokens, so this part is loaded with the first one. */
  async #introspect(token: string): Promise<Outcome> {
    this.#introspector ??= import("./introspection.ts").then(
      (loaded) => new loaded.Introspector(this.#settings, this.#issuers, this.#environment),
    );
    const introspector = await this.#introspector;
    return introspector.verify(token);
  }

  /** Refuses a token, and remembers that if it was verified just now. */
  #refuse(refused: Refused, key?: string): HttpError {
    if (key !== undefined && refused.reason !== "unavailable") this.#cache?.add(key, refused, 0);
    this.#refusals.write(refused);
    const error = this.#challenges.refused(refused.reason);
    error.reason = refused.reason;
    return error;
  }
}

/** The document that tells clients where to get a token for this server (RFC 9728). */
class ResourceMetadata implements Metadata {
  readonly path: string;
  readonly #settings: Settings;
  readonly #scopes: () => readonly string[];

  constructor(settings: Settings, scopes: () => readonly string[]) {
    this.#settings = settings;
    this.#scopes = scopes;
    this.path = metadataPath(new URL(settings.resource).pathname);
  }

  get json(): string {
    const { resource, issuers, metadata } = this.#settings;
    const scopes = this.#scopes();
    return JSON.stringify({
      resource,
      authorization_servers: issuers.map(({ issuer }) => issuer),
      // Clients that get no challenge ask for all of them, so these are the first ones, not the whole catalog.
      ...(scopes.length > 0 && { scopes_supported: scopes }),
      bearer_methods_supported: ["header"],
      ...metadata,
    });
  }
}
