import { request } from "../outgoing/request.ts";
import { randomText, toBase64Url, utf8Bytes } from "../support/bytes.ts";
import {
  type AuthorizationServer,
  type Challenge,
  describeServer,
  findAuthorizationServer,
  LoginError,
  type Protected,
  parseChallenge,
} from "./discover.ts";
import { type ClientIdentity, type Credentials, type LoginOptions, MemoryStore, type Redirect } from "./options.ts";
import { isToken, methodFor, register, requestTokens, revoke, TokenRefusal } from "./tokens.ts";

/** Credentials for the requests to one server. */
export class Login {
  readonly #url: string;
  readonly #options: LoginOptions;
  readonly #store: NonNullable<LoginOptions["store"]>;
  /** One login at a time: requests that were refused together need one. */
  #last: Promise<unknown> = Promise.resolve();
  /** The token of the last login. */
  #fresh: { readonly token: string | undefined; readonly since: number } | undefined;

  constructor(url: string, options: LoginOptions) {
    const { origin, pathname } = new URL(url);
    this.#url = origin + pathname;
    this.#options = options;
    this.#store = options.store ?? new MemoryStore();
  }

  /**
   * Returns the token to send a refused request with again; undefined if there is no other one.
   * @throws {LoginError} if getting one failed.
   */
  answer(
    status: number,
    header: string | null,
    refused: string | undefined,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const challenge = parseChallenge(header);
    if (status === 403 && challenge.error !== "insufficient_scope") return Promise.resolve(undefined);
    return this.#alone(async () => {
      const known = await this.#known();
      // Another request, or another process, has got one meanwhile.
      if (known?.accessToken !== undefined && known.accessToken !== refused) return known.accessToken;
      const server = await describeServer(this.#url, challenge, this.#options.proxy);
      const { token, since = 0 } = this.#fresh ?? {};
      const isFresh = refused !== undefined && refused === token && Date.now() - since < FRESH;
      // The user has just logged in there: asking again would not help.
      if (status === 401 && isFresh && known !== undefined && isOf(known, server)) return undefined;
      const isRefreshed = status === 401 && known?.refreshToken !== undefined && isOf(known, server);
      const next =
        (isRefreshed ? await this.#refresh(known, server) : undefined) ??
        (await this.#grant(server, challenge, signal));
      return next?.accessToken;
    });
  }

  /** Logs in anew, whatever is stored. Returns what was granted; undefined if the server asks for no login. */
  async logIn(signal?: AbortSignal): Promise<Credentials | undefined> {
    return this.#alone(async () => {
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" });
      const probe = { timeout: PROBE_TIMEOUT, method: "POST", headers, body, proxy: this.#options.proxy } as const;
      const { status, header } = await request(this.#url, probe);
      const challenge = status === 401 ? parseChallenge(header("www-authenticate")) : {};
      const server = await describeServer(this.#url, challenge, this.#options.proxy);
      return status === 401 || server.isDescribed ? this.#grant(server, challenge, signal) : undefined;
    });
  }

  /**
   * Forgets the credentials, and ends them at the authorization server where that is possible.
   * @returns whether they were revoked; undefined without any.
   */
  logOut(): Promise<boolean | undefined> {
    return this.#alone(async () => {
      let known: Credentials | undefined;
      await this.#store.update(this.#url, async (found) => {
        known = found;
        return undefined;
      });
      if (known === undefined) return undefined;
      if (!isSound(known)) return false;
      // The credentials are forgotten, whatever the authorization server says.
      return findAuthorizationServer(known.issuer, known, this.#options.proxy)
        .then((server) => revoke(server, known as Credentials))
        .catch(() => false);
    });
  }

  #alone<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(work).catch((error: Error) => {
      // A failure of the store explains itself.
      if (!(error instanceof LoginError) && error.name !== "FetchError") throw error;
      const message = `The login for ${this.#url} failed: ${error.message.replace(/\.$/, "")}.`;
      throw new LoginError(message, { cause: error });
    });
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** What is stored. Others could have changed it. */
  async #known(): Promise<Credentials | undefined> {
    const known = await this.#store.get(this.#url);
    if (known === undefined || isSound(known)) return known;
    throw new LoginError("The stored credentials are damaged. Log out, and log in again");
  }

  /** Replaces the tokens by newer ones; undefined if a login is needed. */
  async #refresh(refused: Credentials, server: Protected): Promise<Credentials | undefined> {
    const found = await findAuthorizationServer(refused.issuer, server, this.#options.proxy);
    const next = await this.#store.update(this.#url, async (known) => {
      // Another process has changed them while this one waited.
      if (known?.refreshToken === undefined || known.accessToken !== refused.accessToken) return known;
      const { accessToken: _, refreshToken, ...rest } = known;
      try {
        const form = { grant_type: "refresh_token", refresh_token: refreshToken, resource: known.resource };
        return { ...known, ...(await requestTokens(found, known.client, form)) };
      } catch (error) {
        if (!(error instanceof TokenRefusal) || error.code !== "invalid_grant") throw error;
        return rest;
      }
    });
    return next?.accessToken === undefined ? undefined : next;
  }

  /** Gets tokens for the user, or for the client itself; undefined if nobody can be asked. */
  async #grant(
    server: Protected,
    challenge: Challenge,
    signal: AbortSignal | undefined,
  ): Promise<Credentials | undefined> {
    const { redirect: openRedirect, grant, proxy, issuer: trusted } = this.#options;
    if (grant !== "client_credentials" && openRedirect === undefined) return undefined;
    const stored = await this.#known();
    const known = stored !== undefined && isOf(stored, server) ? stored : undefined;
    const issuer = trusted ?? known?.issuer ?? (server.issuers[0] as string);
    if (!server.issuers.includes(issuer)) {
      throw new LoginError(`the server uses ${server.issuers.join(", ")}, and not ${issuer}`);
    }
    const found = await findAuthorizationServer(issuer, server, proxy);
    const scopes = this.#scopesFor(server, challenge, known);
    const { resource, reach } = server;
    const keep = async (client: ClientIdentity, form: { readonly [name: string]: string | undefined }) => {
      const tokens = await requestTokens(found, client, { ...form, resource });
      this.#fresh = { token: tokens.accessToken, since: Date.now() };
      return this.#store.update(this.#url, async () => ({ issuer, resource, reach, client, scopes, ...tokens }));
    };
    if (grant === "client_credentials") {
      const client = this.#ownClient(found);
      if (client?.secret === undefined) throw new LoginError("A client needs an id and a secret to log in by itself");
      return keep(client, { grant_type: grant, scope: scopes.join(" ") || undefined });
    }
    const redirect = await (openRedirect as NonNullable<typeof openRedirect>)(known?.client.redirectUri);
    try {
      const { uri } = redirect;
      const client = this.#ownClient(found) ?? (await this.#registered(found, known, uri));
      const { code, verifier } = await askUser(found, redirect, { client_id: client.id, resource, scopes, signal });
      return await keep(client, { grant_type: "authorization_code", code, redirect_uri: uri, code_verifier: verifier });
    } finally {
      await redirect.close?.();
    }
  }

  /** What was granted stays, because the server names only what is missing. */
  #scopesFor(server: Protected, challenge: Challenge, known: Credentials | undefined): string[] {
    const { scope, error } = challenge;
    const needed = this.#options.scopes ?? scope?.split(" ").filter(Boolean) ?? server.scopes ?? [];
    const more = error === "insufficient_scope" ? [...(known?.scopes ?? []), ...(scope?.split(" ") ?? [])] : [];
    return [...new Set([...more, ...needed])];
  }

  #ownClient(found: AuthorizationServer): ClientIdentity | undefined {
    const { client, clientMetadataUrl } = this.#options;
    if (client !== undefined) {
      const method = client.method ?? methodFor(found, client);
      return { ...client, ...(method !== undefined && { method }) };
    }
    if (clientMetadataUrl === undefined || !found.is("client_id_metadata_document_supported")) return undefined;
    return { id: clientMetadataUrl, method: "none" };
  }

  #registered(found: AuthorizationServer, known: Credentials | undefined, uri: string): Promise<ClientIdentity> {
    if (known?.client.redirectUri === uri) return Promise.resolve(known.client);
    return register(found, uri, this.#options.clientName ?? "Proffer");
  }
}

/** Milliseconds for which a new token is not expected to end. */
const FRESH = 60_000;

/** Milliseconds for a server to challenge a request. */
const PROBE_TIMEOUT = 30_000;

/** Whether credentials are those of an authorization server that the server names now, for the same resource. */
function isOf({ issuer, resource }: Credentials, server: Protected): boolean {
  return resource === server.resource && server.issuers.includes(issuer);
}

/** Whether all parts are texts that may become parts of a request. */
function isSound({ issuer, resource, client, accessToken, refreshToken }: Credentials): boolean {
  const texts = [issuer, resource, client?.id];
  const more = [accessToken, refreshToken, client?.secret].filter((each) => each !== undefined);
  return [...texts, ...more].every(isToken);
}

interface Wish {
  readonly client_id: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** Sends the user to the authorization server, and returns the code with which they came back (RFC 6749, RFC 7636). */
async function askUser(
  server: AuthorizationServer,
  redirect: Redirect,
  { client_id, resource, scopes, signal }: Wish,
): Promise<{ code: string; verifier: string }> {
  const { issuer } = server;
  const endpoint = server.endpoint("authorization");
  if (endpoint === undefined) throw new LoginError(`${issuer} has no authorization_endpoint`);
  if (!server.supports("code_challenge_methods_supported", "S256")) {
    throw new LoginError(`${issuer} does not support PKCE with S256, so others could use the code`);
  }
  const page = new URL(endpoint);
  const [state, verifier] = [randomText(32), randomText(32)];
  const digest = await crypto.subtle.digest("SHA-256", utf8Bytes(verifier));
  // Some servers issue refresh tokens only for this scope, which needs the consent of the user each time.
  const isOffline = server.supports("scopes_supported", "offline_access");
  const wanted = isOffline ? [...new Set([...scopes, "offline_access"])] : scopes;
  const values = {
    response_type: "code",
    client_id,
    redirect_uri: redirect.uri,
    state,
    code_challenge: toBase64Url(new Uint8Array(digest)),
    code_challenge_method: "S256",
    resource,
    ...(wanted.length > 0 && { scope: wanted.join(" ") }),
    ...(isOffline && { prompt: "consent" }),
  };
  for (const [name, value] of Object.entries(values)) page.searchParams.set(name, value);
  const code = readRedirect(server, redirect.uri, state, await redirect.visit(page.href, signal));
  return { code, verifier };
}

/** Reads what the user was sent back with. Everything in it may come from another party. */
function readRedirect(server: AuthorizationServer, uri: string, state: string, reached: string): string {
  const { issuer } = server;
  const [to, expected] = [new URL(reached), new URL(uri)];
  if (to.origin !== expected.origin || to.pathname !== expected.pathname) {
    throw new LoginError(`the user was sent back to ${to.origin}${to.pathname}`);
  }
  const { searchParams } = to;
  if (searchParams.get("state") !== state) throw new LoginError("the user was sent back from another login");
  // RFC 9207: a code of another authorization server must not be sent to this one, nor its own to another.
  const iss = searchParams.get("iss");
  if (iss === null ? server.is("authorization_response_iss_parameter_supported") : iss !== issuer) {
    throw new LoginError(
      `the answer of ${issuer} names ${iss === null ? "no issuer" : `the issuer ${iss.slice(0, 200)}`}`,
    );
  }
  const error = searchParams.get("error");
  if (error !== null) throw new TokenRefusal(issuer, error, searchParams.get("error_description"));
  const code = searchParams.get("code");
  if (code === null) throw new LoginError(`${issuer} sent no code`);
  return code;
}
