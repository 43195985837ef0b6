import type { IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";
import { ConnectionError, connect } from "proffer/client";
import { type LoginOptions, MemoryStore } from "proffer/client/oauth";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeIssuer, json } from "../oauth/fake-issuer.ts";

const REDIRECT = "http://127.0.0.1:1/callback";

/** A server and its authorization server in one, which tell the truth until a test changes them. */
let site: FakeIssuer;
let url: string;
/** What the authorization server was sent. */
let forms: string[];
/** What the server was sent. */
let tokens: unknown[];
let resource: Record<string, unknown>;
let metadata: Record<string, unknown>;
let answer: (page: URL) => Record<string, string>;
let store: MemoryStore;

beforeEach(async () => {
  site = await FakeIssuer.open();
  url = `${site.url}/mcp`;
  forms = [];
  tokens = [];
  store = new MemoryStore();
  resource = { resource: url, authorization_servers: [site.url] };
  metadata = {
    issuer: site.url,
    authorization_endpoint: `${site.url}/authorize`,
    token_endpoint: `${site.url}/token`,
    registration_endpoint: `${site.url}/register`,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  };
  answer = (page) => ({ code: "a-code", state: page.searchParams.get("state") ?? "", iss: site.url });
  challenge(`resource_metadata="${site.url}/.well-known/oauth-protected-resource/mcp"`);
  site.route(
    "/.well-known/oauth-protected-resource/mcp",
    json(() => resource),
  );
  site.route(
    "/.well-known/oauth-authorization-server",
    json(() => metadata),
  );
  site.route(
    "/register",
    json(() => ({ client_id: "a-client" })),
  );
  respond({ access_token: "a-token", token_type: "Bearer" });
});

afterEach(() => site.close());

/** Refuses each request to the server with this challenge. */
function challenge(params: string, status = 401) {
  site.route("/mcp", (request, response) => {
    tokens.push(request.headers.authorization);
    response.writeHead(status, { "www-authenticate": `Bearer ${params}` }).end();
  });
}

function respond(value: object | string, status = 200, headers: Record<string, string> = {}) {
  site.route("/token", async (request: IncomingMessage, response) => {
    forms.push(await readText(request));
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof value === "string" ? value : JSON.stringify(value));
  });
}

const login = (): LoginOptions => ({
  store,
  redirect: () => ({
    uri: REDIRECT,
    visit: async (page) => `${REDIRECT}?${new URLSearchParams(answer(new URL(page)))}`,
  }),
});

/** Why connecting fails. */
async function failure(options = login()): Promise<ConnectionError> {
  const error = await connect(url, { login: options }).then(
    () => undefined,
    (error) => error,
  );
  expect(error).toBeInstanceOf(ConnectionError);
  return error as ConnectionError;
}

const reply = (changes: Record<string, string | undefined>) => {
  const before = answer;
  answer = (page) => JSON.parse(JSON.stringify({ ...before(page), ...changes }));
};

describe("a login fails, and nothing is kept, if", () => {
  const LIES: [name: string, lie: () => void, reason: RegExp][] = [
    [
      "the server names the metadata of another origin",
      () => challenge('resource_metadata="https://evil.example/x"'),
      /metadata of another origin/,
    ],
    [
      "its metadata is that of another resource",
      () => (resource.resource = "https://evil.example/mcp"),
      /describes the resource "https:\/\/evil\.example\/mcp", which is not/,
    ],
    ["its metadata is that of a neighbour", () => (resource.resource = `${site.url}/mc`), /describes the resource/],
    [
      "its metadata names no authorization server",
      () => (resource.authorization_servers = []),
      /names no authorization server/,
    ],
    [
      "its authorization server is not encrypted",
      () => (resource.authorization_servers = ["http://login.example"]),
      /names no authorization server with an https URL/,
    ],
    [
      "it names the metadata service of a cloud",
      () => (resource.authorization_servers = ["https://169.254.169.254"]),
      /169\.254\.169\.254 is not a public address/,
    ],
    [
      "its endpoint for tokens is the metadata service of a cloud",
      () => (metadata.token_endpoint = "https://[fd00:ec2::254]/"),
      /is not a public address/,
    ],
    [
      "the authorization server is another issuer",
      () => (metadata.issuer = "https://evil.example"),
      /is the metadata of another issuer/,
    ],
    [
      "the issuer is spelled in another way",
      () => (metadata.issuer = `${site.url}/`),
      /is the metadata of another issuer/,
    ],
    ["it has no PKCE", () => delete metadata.code_challenge_methods_supported, /does not support PKCE/],
    [
      "it has only the plain PKCE",
      () => (metadata.code_challenge_methods_supported = ["plain"]),
      /does not support PKCE/,
    ],
    [
      "its page would run a script",
      () => (metadata.authorization_endpoint = "javascript:alert(1)"),
      /no https URL as authorization_endpoint/,
    ],
    ["its page is a file", () => (metadata.authorization_endpoint = "file:///etc/passwd"), /no https URL/],
    [
      "tokens would be sent in the clear",
      () => (metadata.token_endpoint = "http://login.example/token"),
      /no https URL as token_endpoint/,
    ],
    ["it registers nobody", () => delete metadata.registration_endpoint, /does not register clients/],
    [
      "it registers the client without an id",
      () =>
        site.route(
          "/register",
          json(() => ({})),
        ),
      /without a valid id/,
    ],
    [
      "the answer names another issuer",
      () => reply({ iss: "https://evil.example" }),
      /names the issuer https:\/\/evil\.example/,
    ],
    ["the answer names no issuer, as promised", () => reply({ iss: undefined }), /names no issuer/],
    ["the answer is that of another login", () => reply({ state: "guessed" }), /another login/],
    ["the answer has no state", () => reply({ state: undefined }), /another login/],
    ["the answer has no code", () => reply({ code: undefined }), /sent no code/],
    [
      "the user declines",
      () => reply({ error: "access_denied", error_description: "No." }),
      /refused: access_denied \(No\.\)/,
    ],
    [
      "the endpoint sends another type",
      () => respond({ access_token: "x", token_type: "mac" }),
      /no token of the type Bearer/,
    ],
    ["the endpoint sends no type", () => respond({ access_token: "x" }), /no token of the type Bearer/],
    [
      "the token starts another header",
      () => respond({ access_token: "x\r\nX-Admin: 1", token_type: "Bearer" }),
      /no valid access token/,
    ],
    ["the token is no text", () => respond({ access_token: {}, token_type: "Bearer" }), /no valid access token/],
    [
      "the token is endless",
      () => respond({ access_token: "x".repeat(20_000), token_type: "Bearer" }),
      /no valid access token/,
    ],
    [
      "the refresh token is none",
      () => respond({ access_token: "x", token_type: "Bearer", refresh_token: 7 }),
      /invalid refresh token/,
    ],
    ["the endpoint sends a page", () => respond("<html>"), /no token of the type Bearer/],
    ["the endpoint sends megabytes", () => respond("x".repeat(1_000_000)), /returned more than 262144 bytes/],
    [
      "the endpoint redirects",
      () => respond("", 307, { location: "https://evil.example/token" }),
      /refused: status 307/,
    ],
    ["the endpoint fails", () => respond("", 500), /refused: status 500/],
    [
      "the endpoint refuses the code",
      () => respond({ error: "invalid_grant", error_description: "x".repeat(9999) }, 400),
      /refused: invalid_grant \(x{300}\)/,
    ],
  ];

  it.each(LIES)("%s", async (_, lie, reason) => {
    lie();
    const { kind, message } = await failure();
    expect({ kind, message }).toEqual({ kind: "login", message: expect.stringMatching(reason) });
    expect(message.startsWith(`${url} answered with status 401. The login for ${url} failed: `)).toBe(true);
    expect(await store.get(url)).toBeUndefined();
    expect(tokens).toEqual([undefined]);
  });
});

it("a secret goes only to the authorization server that it is for", async () => {
  const client = { id: "a", secret: "a-secret" };
  const machine = { store, client, grant: "client_credentials", issuer: "https://login.example" } as const;
  expect((await failure(machine)).message).toContain(`the server uses ${site.url}, and not https://login.example`);
  expect(forms).toEqual([]);
});

describe("a token", () => {
  it("that the server refuses at once is not tried for ever", async () => {
    expect(await failure()).toMatchObject({ kind: "status", status: 401 });
    expect(tokens).toEqual([undefined, "Bearer a-token"]);
  });

  it("is not refreshed at an authorization server that did not issue it", async () => {
    const credentials = {
      issuer: "https://evil.example",
      resource: url,
      reach: "loopback",
      client: { id: "a" },
    } as const;
    await store.update(url, async () => ({ ...credentials, accessToken: "old", refreshToken: "secret" }));
    expect(await failure({ store })).toMatchObject({ status: 401 });
    await store.update(url, async () => ({
      ...credentials,
      resource: "https://other.example",
      refreshToken: "secret",
    }));
    await failure();
    expect(forms.map((form) => form.includes("secret"))).toEqual([false]);
  });

  it("is kept if the endpoint is down when it is refreshed", async () => {
    const known = {
      issuer: site.url,
      resource: url,
      reach: "loopback",
      client: { id: "a" },
      accessToken: "old",
      refreshToken: "kept",
    } as const;
    await store.update(url, async () => known);
    respond("", 503);
    expect(await failure()).toMatchObject({ kind: "login", message: expect.stringContaining("refused: status 503") });
    expect(await store.get(url)).toEqual(known);
  });

  it("is not renewed for a 403 that is no challenge for scopes", async () => {
    challenge('error="invalid_request"', 403);
    expect(await failure()).toMatchObject({ kind: "status", status: 403 });
    expect(forms).toEqual([]);
  });
});
