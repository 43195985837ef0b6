import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

/** Where clients receive their code. Nothing listens there. */
export const REDIRECT = "http://127.0.0.1:1/callback";

export const SCOPES = "orders:read orders:write";

/** The clients that are registered from the start; the first two are public and have no secret. */
export const CLIENTS = { web: "web", desktop: "desktop", robot: "ada" } as const;
const SECRET = "a secret of the tests that is long enough";

export interface TokenSet {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
  readonly scope?: string;
}

export interface AuthorizationServerOptions {
  /** Whether tokens for this resource are opaque. */
  isOpaque?(resource: string): boolean;
  /** Whether refresh tokens are issued. Default: true. */
  readonly refreshes?: boolean;
  /** Whether a refresh token can be used only once. Default: false. */
  readonly rotates?: boolean;
}

/** A real authorization server in this process, with forms for login and consent. */
export class AuthorizationServer {
  readonly issuer: string;
  /** The method and path of all requests. */
  readonly requests: string[] = [];
  readonly #server: http.Server;

  private constructor(server: http.Server, options: AuthorizationServerOptions) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const handle = new Provider(this.issuer, configuration(options)).callback();
    server.on("request", (request, response) => {
      this.requests.push(`${request.method} ${request.url?.split("?")[0]}`);
      handle(request, response);
    });
  }

  static async open(options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
    const server = http.createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new AuthorizationServer(server, options);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Signs a user in and returns the tokens of a client for a resource. */
  async login(user: string, resource: string, client: string = CLIENTS.web, scope = SCOPES): Promise<TokenSet> {
    const { code, verifier } = await this.authorize(user, resource, client, scope);
    return this.token({
      grant_type: "authorization_code",
      ...{ code, code_verifier: verifier, redirect_uri: REDIRECT, client_id: client, resource },
    });
  }

  /** Signs a user in and returns the code. */
  async authorize(user: string, resource: string, client: string, scope: string) {
    const verifier = randomBytes(32).toString("base64url");
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const url = new URL("/auth", this.issuer);
    url.search = new URLSearchParams({
      response_type: "code",
      client_id: client,
      redirect_uri: REDIRECT,
      scope: `openid ${scope}`,
      resource,
      code_challenge: challenge,
      code_challenge_method: "S256",
    }).toString();
    const answer = await signIn(url, user);
    return { code: answer.get("code") ?? "", verifier };
  }

  refresh(refresh_token = "", client: string = CLIENTS.web, resource = ""): Promise<TokenSet> {
    return this.token({ grant_type: "refresh_token", refresh_token, client_id: client, ...(resource && { resource }) });
  }

  /** The token of a client that acts for itself. */
  machine(resource: string, scope = SCOPES): Promise<TokenSet> {
    return this.token({ grant_type: "client_credentials", resource, scope, ...credentials() });
  }

  async revoke(token: string): Promise<void> {
    await this.#post("/token/revocation", { token, client_id: CLIENTS.web });
  }

  get introspection() {
    return { clientId: CLIENTS.robot, clientSecret: SECRET };
  }

  async token(form: Record<string, string>): Promise<TokenSet> {
    const response = await this.#post("/token", form);
    if (response.status !== 200) throw new Error(`no token: ${response.status} ${await response.text()}`);
    return (await response.json()) as TokenSet;
  }

  #post(path: string, form: Record<string, string>): Promise<Response> {
    return fetch(this.issuer + path, { method: "POST", body: new URLSearchParams(form) });
  }
}

/** Walks through the pages of an authorization request as a user does; returns the parameters of the redirect to the client. */
export async function signIn(start: URL, user: string, redirect = REDIRECT): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  let url = start;
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 12; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      headers: { cookie },
      redirect: "manual",
      ...(form && { method: "POST", body: form }),
    });
    for (const each of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    form = undefined;
    if (location !== null) {
      url = new URL(location, url);
      if (url.href.startsWith(redirect)) return url.searchParams;
      continue;
    }
    const page = await response.text();
    const [, action] = /<form[^>]* action="([^"]+)"/.exec(page) ?? [];
    if (action === undefined) throw new Error(`no form: ${response.status} ${page}`);
    url = new URL(action, url);
    const fields = [...page.matchAll(/<input[^>]* type="hidden"[^>]*>/g)].map(([input]): [string, string] => [
      /name="([^"]*)"/.exec(input)?.[1] ?? "",
      /value="([^"]*)"/.exec(input)?.[1] ?? "",
    ]);
    form = new URLSearchParams([...fields, ["login", user], ["password", "any"]]);
  }
  throw new Error(`no end of the login: ${url.href}`);
}

function credentials() {
  return { client_id: CLIENTS.robot, client_secret: SECRET };
}

function configuration({
  isOpaque = () => false,
  refreshes = true,
  rotates = false,
}: AuthorizationServerOptions): object {
  const interactive = {
    grant_types: ["authorization_code", "refresh_token"],
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: "none",
  };
  const keys = [
    generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
    // Clients register for ID tokens with RS256 unless they say otherwise.
    generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey,
  ];
  const [es, rs] = keys.map((key) => key.export({ format: "jwk" }));
  return {
    clients: [
      { client_id: CLIENTS.web, ...interactive },
      { client_id: CLIENTS.desktop, ...interactive },
      {
        ...credentials(),
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
        token_endpoint_auth_method: "client_secret_basic",
      },
    ],
    jwks: {
      keys: [
        { ...es, alg: "ES256", use: "sig", kid: "es" },
        { ...rs, alg: "RS256", use: "sig", kid: "rs" },
      ],
    },
    cookies: { keys: ["the key of the tests"] },
    clientDefaults: { application_type: "native" },
    scopes: ["openid", "offline_access", ...SCOPES.split(" ")],
    pkce: { required: () => true },
    conformIdTokenClaims: false,
    ttl: { AccessToken: 300, ClientCredentials: 300, Grant: 3600, IdToken: 300, Interaction: 600, Session: 600 },
    clientAuthMethods: ["none", "client_secret_basic", "client_secret_post"],
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    issueRefreshToken: () => refreshes,
    rotateRefreshToken: rotates,
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context: unknown, resource: string) => ({
          scope: SCOPES,
          audience: resource,
          accessTokenFormat: isOpaque(resource) ? "opaque" : "jwt",
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
  };
}
