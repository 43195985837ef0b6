import { basicCredentials, formRequest, parseObject, request } from "../outgoing/request.ts";
import { type AuthorizationServer, LoginError } from "./discover.ts";
import type { ClientIdentity, Credentials } from "./options.ts";

/** A refusal of the authorization server (RFC 6749, section 5.2). */
export class TokenRefusal extends LoginError {
  readonly code: unknown;

  constructor(issuer: string, code: unknown, description: unknown) {
    const more = typeof description === "string" ? ` (${description.slice(0, 300)})` : "";
    super(`${issuer} refused: ${String(code).slice(0, 100)}${more}`);
    this.code = code;
  }
}

/** The tokens of a response, and the scopes that were granted. */
export type Tokens = Pick<Credentials, "accessToken" | "refreshToken" | "scopes">;

type Form = { readonly [name: string]: string | undefined };

/** Requests tokens, and checks the response before anything of it is kept or sent. */
export async function requestTokens(server: AuthorizationServer, client: ClientIdentity, form: Form): Promise<Tokens> {
  const { status, document } = await post(server, "token", client, form);
  if (status !== 200)
    throw new TokenRefusal(server.issuer, document.error ?? `status ${status}`, document.error_description);
  const { access_token: access, token_type: type, refresh_token: refresh, scope } = document;
  const lies = (problem: string) => new LoginError(`The token endpoint of ${server.issuer} returned ${problem}`);
  if (typeof type !== "string" || type.toLowerCase() !== "bearer") throw lies("no token of the type Bearer");
  if (!isToken(access)) throw lies("no valid access token");
  if (refresh !== undefined && !isToken(refresh)) throw lies("an invalid refresh token");
  const granted = typeof scope === "string" ? scope : form.scope;
  return {
    accessToken: access,
    ...(refresh !== undefined && { refreshToken: refresh }),
    ...(granted !== undefined && { scopes: granted.split(" ").filter(Boolean) }),
  };
}

/** Characters of a token. */
const MAX_TOKEN = 16_384;

/** A token becomes a part of a header, so a line break in it would start another one. RFC 6749, appendix A.12. */
export function isToken(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_TOKEN && /^[\x21-\x7e]+$/.test(value);
}

/**
 * Ends tokens where the authorization server can (RFC 7009). Returns whether the longest-lived one has ended: access tokens
 * that are JWTs end by time only.
 */
export async function revoke(server: AuthorizationServer, { client, ...tokens }: Credentials): Promise<boolean> {
  if (server.endpoint("revocation") === undefined) return false;
  const kinds = { refresh_token: tokens.refreshToken, access_token: tokens.accessToken };
  const statuses: number[] = [];
  for (const [token_type_hint, token] of Object.entries(kinds)) {
    if (token === undefined) continue;
    statuses.push((await post(server, "revocation", client, { token, token_type_hint })).status);
  }
  return statuses[0] === 200;
}

async function post(server: AuthorizationServer, name: string, { id, secret, method }: ClientIdentity, form: Form) {
  const { issuer, fetching } = server;
  const endpoint = server.endpoint(name);
  if (endpoint === undefined) throw new LoginError(`${issuer} has no ${name}_endpoint`);
  const isPosted = method === "client_secret_post";
  const fields = new URLSearchParams();
  for (const [key, value] of Object.entries(form)) if (value !== undefined) fields.set(key, value);
  const inHeader = secret !== undefined && !isPosted && method !== "none";
  if (!inHeader) fields.set("client_id", id);
  if (secret !== undefined && isPosted) fields.set("client_secret", secret);
  const headers = { accept: "application/json", ...(inHeader && { authorization: basicCredentials(id, secret) }) };
  const { status, text } = await request(endpoint, { ...fetching, ...formRequest(fields, headers) });
  return { status, document: parseObject(text) ?? {} };
}

/** In the order of preference: a secret of a program that others can read proves nothing. */
const METHODS = ["none", "client_secret_basic", "client_secret_post"];

/** Returns how a client proves its identity. RFC 8414, section 2: without a list, the server accepts the header. */
export function methodFor(server: AuthorizationServer, client: Pick<ClientIdentity, "secret">): string | undefined {
  const usable = client.secret === undefined ? ["none"] : METHODS.slice(1);
  const list = "token_endpoint_auth_methods_supported";
  return usable.find((method) => server.supports(list, method, method === "client_secret_basic"));
}

/** Registers this client (RFC 7591). @throws {LoginError} if the server does not accept it. */
export async function register(
  server: AuthorizationServer,
  redirectUri: string,
  name: string,
): Promise<ClientIdentity> {
  const { issuer, fetching } = server;
  const endpoint = server.endpoint("registration");
  if (endpoint === undefined) {
    throw new LoginError(`${issuer} does not register clients. Get the id of a client from it, and pass it`);
  }
  const list = "token_endpoint_auth_methods_supported";
  const method = METHODS.find((each) => server.supports(list, each, each === "none"));
  const body = JSON.stringify({
    client_name: name,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    application_type: redirectUri.startsWith("https:") ? "web" : "native",
    ...(method !== undefined && { token_endpoint_auth_method: method }),
  });
  const headers = { "content-type": "application/json", accept: "application/json" };
  const { status, text } = await request(endpoint, { ...fetching, method: "POST", headers, body });
  const document = parseObject(text) ?? {};
  const { client_id: id, client_secret: secret, token_endpoint_auth_method: chosen = method } = document;
  if (status >= 300) throw new TokenRefusal(issuer, document.error ?? `status ${status}`, document.error_description);
  if (!isToken(id) || !(secret === undefined || isToken(secret))) {
    throw new LoginError(`${issuer} registered this client without a valid id`);
  }
  return {
    id,
    ...(secret !== undefined && { secret }),
    ...(typeof chosen === "string" && { method: chosen }),
    redirectUri,
  };
}
