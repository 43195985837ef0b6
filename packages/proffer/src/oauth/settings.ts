import { parseSafeUrl } from "../outgoing/address.ts";
import { consoleLog, type LogSink } from "../support/log.ts";
import { checkScopes } from "../support/scope.ts";
import { badOption, checkFlag, UsageError } from "../support/usage-error.ts";
import type { ProtectedServer } from "../transports/http/authentication.ts";
import { isText } from "./claims.ts";
import type { IntrospectionOptions, IssuerOptions, OAuthOptions } from "./options.ts";

/** The checked options of `oauth()`, with their defaults. */
export interface Settings {
  readonly issuers: readonly IssuerSettings[];
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly askAll: boolean;
  readonly includes: Includes;
  readonly anonymous: boolean;
  readonly algorithms: readonly string[];
  readonly clockTolerance: number;
  /** Undefined if verified tokens are not cached. */
  readonly cache: { readonly size: number; readonly seconds: number } | undefined;
  readonly introspection: IntrospectionSettings | undefined;
  readonly metadata: { readonly [member: string]: unknown };
  readonly principal: OAuthOptions["principal"];
}

export interface IssuerSettings {
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly jwks: IssuerOptions["jwks"];
  readonly trustedHosts: readonly string[];
  /** Whether tokens must have the type `at+jwt`. */
  readonly typed: boolean;
  readonly scopeClaim: string;
  readonly proxy: string | undefined;
}

export interface IntrospectionSettings extends IntrospectionOptions {
  readonly issuer: string;
  readonly seconds: number;
}

/** The scopes that a scope contains, directly or through others. */
export type Includes = ReadonlyMap<string, readonly string[]>;

/** A symmetric algorithm would let the holder of the public key sign tokens. */
const ALGORITHMS = "ES256 RS256 PS256 EdDSA Ed25519 ES384 ES512 RS384 RS512 PS384 PS512".split(" ");

const DEFAULT_ALGORITHMS = ALGORITHMS.slice(0, 5);

/** Members of the metadata document that follow from other options. */
const OWN_MEMBERS = ["resource", "authorization_servers", "scopes_supported", "bearer_methods_supported"];

/** They are about the login, not about this server, and official clients add them where they are needed. */
const NOT_OURS = ["offline_access", "openid"];

/** Checks the options. @throws {UsageError} */
export function toSettings(options: OAuthOptions): Settings {
  const { resource, ask = "baseline", algorithms = DEFAULT_ALGORITHMS, metadata = {} } = options;
  checkResource(resource);
  const scopes = checkOwnScopes("scopes", options.scopes ?? []);
  if (ask !== "baseline" && ask !== "all") wrong("ask", '"baseline" or "all"', ask);
  checkFlag("anonymous", options.anonymous, "oauth()");
  if (!Array.isArray(algorithms) || algorithms.length === 0 || algorithms.some((name) => !ALGORITHMS.includes(name)))
    wrong("algorithms", `a list of ${ALGORITHMS.join(", ")}`, algorithms);
  const own = OWN_MEMBERS.find((name) => Object.hasOwn(metadata, name));
  if (own !== undefined) fail(`metadata must not contain ${own}.`);
  const issuers = toIssuers(options);
  return {
    issuers,
    resource,
    scopes,
    askAll: ask === "all",
    includes: closeIncludes(options.includes ?? {}),
    anonymous: options.anonymous === true,
    algorithms,
    clockTolerance: number("clockTolerance", options.clockTolerance, 5, 0, 60),
    cache: toCache(options.cache),
    introspection: toIntrospection(options.introspection, issuers),
    metadata,
    principal: options.principal,
  };
}

/** Clients compare it with the URL that they use, and tokens repeat it, so it has one spelling only. */
function checkResource(resource: string): void {
  const url = checkUrl("resource", resource);
  const written = url.origin + url.pathname.replace(/\/+$/, "");
  if (written !== resource) fail(`resource must be ${written}, without a query or a slash at the end.`);
}

function toIssuers({ issuer, audience, resource, proxy }: OAuthOptions): IssuerSettings[] {
  if (proxy !== undefined && !/^https?:/.test(URL.canParse(proxy) ? new URL(proxy).protocol : "")) {
    // Not shown: it may contain a password.
    fail("proxy must be a URL of http: or https:.");
  }
  const listed = [issuer].flat();
  if (listed.length === 0) fail("issuer must name an authorization server.");
  const found = listed.map((each): IssuerSettings => {
    const own: IssuerOptions = typeof each === "string" ? { issuer: each } : each;
    checkUrl("issuer", own?.issuer);
    if (typeof own.jwks === "string") checkUrl("jwks", own.jwks);
    const { scopeClaim = "scope", trustedHosts = [], typ = "at+jwt" } = own;
    const expected = own.audience ?? audience;
    const typed = typ !== false;
    if (typed && typ !== "at+jwt") wrong("typ", '"at+jwt" or false', typ);
    if (!typed && expected === undefined)
      fail("typ: false needs audience, to distinguish access tokens from ID tokens.");
    return {
      issuer: own.issuer,
      audience: toAudience(expected ?? resource),
      jwks: own.jwks,
      trustedHosts,
      typed,
      scopeClaim,
      proxy,
    };
  });
  const names = found.map(({ issuer }) => issuer);
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  if (repeated !== undefined) fail(`The issuer ${repeated} is listed twice.`);
  return found;
}

function toAudience(audience: string | readonly string[]): readonly string[] {
  const list = [audience].flat();
  if (list.length > 0 && list.every(isText)) return list;
  return wrong("audience", "a text or a list of texts", audience);
}

function toCache(cache: OAuthOptions["cache"] = {}): Settings["cache"] {
  if (cache === false) return undefined;
  return {
    size: number("cache.size", cache.size, 10_000, 1, 1_000_000),
    seconds: number("cache.seconds", cache.seconds, 60, 1, 3600),
  };
}

function toIntrospection(
  options: IntrospectionOptions | undefined,
  issuers: readonly IssuerSettings[],
): IntrospectionSettings | undefined {
  if (options === undefined) return undefined;
  const { endpoint, clientId, clientSecret } = options;
  if (!isText(clientId) || !isText(clientSecret)) fail("introspection needs clientId and clientSecret.");
  if (endpoint !== undefined) checkUrl("introspection.endpoint", endpoint);
  const found = issuers.filter(({ issuer }) => issuer === (options.issuer ?? issuer));
  if (found.length !== 1) fail("introspection.issuer must name one of the issuers.");
  const [{ issuer }] = found as [IssuerSettings];
  return { ...options, issuer, seconds: number("introspection.seconds", options.seconds, 30, 1, 3600) };
}

function number(name: string, value: unknown, fallback: number, min: number, max: number): number {
  if (value === undefined) return fallback;
  if (typeof value === "number" && value >= min && value <= max) return value;
  return wrong(name, `a number from ${min} to ${max}`, value);
}

function wrong(name: string, expected: string, value: unknown): never {
  throw badOption("oauth()", name, expected, value);
}

/** Checks scopes in the options. @throws {UsageError} */
function checkOwnScopes(name: string, scopes: unknown): readonly string[] {
  const checked = checkScopes(scopes, `oauth(): ${name}`);
  const foreign = NOT_OURS.find((scope) => checked.includes(scope));
  return foreign === undefined ? checked : fail(`${name} must not contain ${foreign}: clients ask for it themselves.`);
}

/** Closes `includes` transitively. @throws {UsageError} for an invalid scope, a cycle, or anything but lists. */
function closeIncludes(includes: { readonly [scope: string]: readonly string[] }): Includes {
  const direct = new Map(Object.entries(includes));
  const scopes = checkOwnScopes("includes", [...direct.keys()]);
  for (const [scope, included] of direct) checkOwnScopes(`includes.${scope}`, included);
  const close = (scope: string, path: readonly string[]): readonly string[] => {
    if (path.includes(scope)) fail(`includes has a cycle: ${[...path, scope].join(" → ")}`);
    const included = direct.get(scope) ?? [];
    return [...new Set(included.flatMap((each) => [each, ...close(each, [...path, scope])]))];
  };
  return new Map(scopes.map((scope) => [scope, close(scope, [])]));
}

/** Parses a URL in the options. @throws {UsageError} */
function checkUrl(name: string, value: unknown): URL {
  const url = parseSafeUrl(value);
  if (url === undefined) fail(`${name} must be an https URL, or http on this machine: ${String(value)}`);
  // A fragment may be empty.
  if (url.username || url.password || url.href.includes("#"))
    fail(`${name} has credentials or a fragment: ${url.href}`);
  return url;
}

/** Reports a mistake in the options. @throws {UsageError} */
function fail(message: string): never {
  throw new UsageError(`oauth(): ${message}`);
}

/** The clocks, limits and log that the parts of a protection share. Tests replace the clock and the time limit. */
export interface Environment {
  /** Milliseconds since 1970, for the times in tokens. */
  now(): number;
  /** Milliseconds since the start, for intervals: nobody can set this clock back. */
  uptime(): number;
  /** Milliseconds for a request to an authorization server. */
  readonly fetchTimeout: number;
  /** The log of the protected server. */
  log: LogSink;
  report: ProtectedServer["report"];
}

/** Milliseconds for a request to an authorization server. */
export const FETCH_TIMEOUT = 5000;

export function createEnvironment(): Environment {
  return { now: Date.now, uptime: () => performance.now(), fetchTimeout: FETCH_TIMEOUT, log: consoleLog, report() {} };
}
