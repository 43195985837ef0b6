import { parseSafeUrl } from "../outgoing/address.ts";
import { type Document, findMetadata } from "../outgoing/metadata.ts";
import type { FetchError, OutgoingOptions, Reach } from "../outgoing/options.ts";
import { parseObject, request } from "../outgoing/request.ts";

/** Milliseconds for a request to a server or its authorization server. */
const TIMEOUT = 30_000;

/** A login that failed, or whose parties cannot be trusted. */
export class LoginError extends Error {
  override readonly name: string = "LoginError";
}

/** The parameters of a challenge (RFC 6750, section 3). */
export type Challenge = { readonly [name: string]: string };

/** Parses the header `WWW-Authenticate`; only the challenge of the scheme `Bearer` counts. */
export function parseChallenge(header: string | null | undefined): Challenge {
  const found: { [name: string]: string } = {};
  let isBearer = false;
  for (const [, name = "", quoted, plain] of (header ?? "").matchAll(
    /([\w!#$%&'*+.^`|~-]+)(?:=(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/g,
  )) {
    const value = quoted?.replace(/\\(.)/g, "$1") ?? plain;
    if (value === undefined) isBearer = name.toLowerCase() === "bearer";
    // The first one counts, as in a list of headers.
    else if (isBearer && !Object.hasOwn(found, name.toLowerCase())) found[name.toLowerCase()] = value;
  }
  return found;
}

/** What a server says about its logins (RFC 9728). */
export interface Protected {
  readonly resource: string;
  /** Its authorization servers, the preferred one first. */
  readonly issuers: readonly string[];
  /** The scopes to ask for, if a challenge names none. */
  readonly scopes: readonly string[] | undefined;
  readonly reach: Reach;
  /** Whether the server has such a document: revision 2025-03-26 has none, and the server is its own authorization server. */
  readonly isDescribed: boolean;
}

/** Finds the document of a server about its logins. @throws {LoginError} for one of another server. */
export async function describeServer(url: string, challenge: Challenge, proxy?: string): Promise<Protected> {
  const { origin, pathname } = new URL(url);
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`;
  const { resource_metadata: named } = challenge;
  if (named !== undefined && (!URL.canParse(named) || new URL(named).origin !== origin)) {
    throw new LoginError(`${url} names metadata of another origin, which is not used`);
  }
  const locations = new Set([...(named ? [named] : []), wellKnown + pathname.replace(/\/$/, ""), wellKnown]);
  let reach: Reach = "public";
  for (const location of locations) {
    const headers = { accept: "application/json" };
    const response = await request(location, { timeout: TIMEOUT, headers, proxy });
    reach = response.reach;
    if (response.status === 200) {
      return { ...readDocument(parseObject(response.text) ?? {}, url, location), reach, isDescribed: true };
    }
    if (response.status >= 500) throw new LoginError(`${location} answered with status ${response.status}`);
  }
  return { resource: origin + pathname, issuers: [origin], scopes: undefined, reach, isDescribed: false };
}

function readDocument(document: Document, url: string, location: string) {
  const { resource, authorization_servers: issuers = [new URL(url).origin], scopes_supported: scopes } = document;
  if (!isResourceOf(resource, url)) {
    const problem = `${location} describes the resource ${JSON.stringify(resource)?.slice(0, 200)}`;
    throw new LoginError(`${problem}, which is not ${url}`);
  }
  const known = isTexts(issuers) ? issuers.filter((issuer) => parseSafeUrl(issuer) !== undefined) : [];
  if (known.length === 0) throw new LoginError(`${location} names no authorization server with an https URL`);
  return { resource, issuers: known, scopes: isTexts(scopes) ? scopes : undefined };
}

/** A token for a resource is sent to URLs of its origin, at its path or below. */
function isResourceOf(resource: unknown, url: string): resource is string {
  if (typeof resource !== "string" || !URL.canParse(resource)) return false;
  const [wide, narrow] = [new URL(resource), new URL(url)];
  const below = (path: string) => `${path.replace(/\/$/, "")}/`;
  return wide.origin === narrow.origin && below(narrow.pathname).startsWith(below(wide.pathname));
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

/** An authorization server, as its metadata describes it. */
export class AuthorizationServer {
  readonly issuer: string;
  readonly #document: Document;
  /** For each request to it. */
  readonly fetching: OutgoingOptions;

  constructor(issuer: string, document: Document, fetching: OutgoingOptions) {
    this.issuer = issuer;
    this.#document = document;
    this.fetching = fetching;
  }

  /** An endpoint by its name in the metadata; undefined if there is none. */
  endpoint(name: string): string | undefined {
    const value = this.#document[`${name}_endpoint`];
    if (value === undefined) return undefined;
    const url = parseSafeUrl(value);
    if (url !== undefined) return url.href;
    throw new LoginError(`${this.issuer} has no https URL as ${name}_endpoint`);
  }

  /** Whether a list of the metadata contains a value; the fallback without the list. */
  supports(list: string, value: string, fallback = false): boolean {
    const values = this.#document[list];
    return values === undefined ? fallback : isTexts(values) && values.includes(value);
  }

  is(flag: string): boolean {
    return this.#document[flag] === true;
  }
}

/** Finds the metadata of an authorization server that a server has named. */
export async function findAuthorizationServer(
  issuer: string,
  { reach, isDescribed = true }: Pick<Protected, "reach"> & Partial<Protected>,
  proxy?: string,
): Promise<AuthorizationServer> {
  const fetching: OutgoingOptions = { timeout: TIMEOUT, within: reach, proxy };
  try {
    return new AuthorizationServer(issuer, await findMetadata(issuer, fetching), fetching);
  } catch (error) {
    const { status } = error as FetchError;
    if (isDescribed || status !== 404) throw error;
    // Revision 2025-03-26, authorization, fallbacks: PKCE is required of such a server, too.
    const paths = { authorization_endpoint: "authorize", token_endpoint: "token", registration_endpoint: "register" };
    const document = Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, `${issuer}/${path}`]));
    return new AuthorizationServer(issuer, { ...document, code_challenge_methods_supported: ["S256"] }, fetching);
  }
}
