import { createHash } from "node:crypto";
import { createFetchHandler } from "proffer/fetch";
import { anyOf, apiKeys, type HttpService, serveHttp } from "proffer/http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type Headers,
  legacy,
  MODERN,
  modern,
  modernHeaders,
  post,
  present,
  request,
  sendRaw,
} from "../http/http-client.ts";
import { openWorkshop, type Workshop } from "../http/workshop.ts";
import { EVERY } from "../versions.ts";
import { FakeIssuer, RESOURCE } from "./fake-issuer.ts";
import { bearer, type Protected, protect, requestOf } from "./protect.ts";

const METADATA = "https://tools.example.com/.well-known/oauth-protected-resource/mcp";
const ASK = `scope="orders:read", resource_metadata="${METADATA}"`;
/** The challenge to a request without credentials, and to one with a bad token. */
const MISSING = { status: 401, challenge: `Bearer ${ASK}` };
const INVALID = {
  status: 401,
  challenge: `Bearer error="invalid_token", ${ASK}, error_description="The access token is not valid here"`,
};
const MALFORMED = { status: 400, challenge: `Bearer error="invalid_request", resource_metadata="${METADATA}"` };

let issuer: FakeIssuer;
let workshop: Workshop;
let guard: Protected;
let service: HttpService;
let handler: ReturnType<typeof createFetchHandler>;

beforeAll(async () => {
  issuer = await FakeIssuer.open();
});
afterAll(() => issuer.close());

beforeEach(async () => {
  workshop = openWorkshop();
  guard = protect({ issuer: issuer.url, resource: RESOURCE, scopes: ["orders:read"] });
  const authenticate = guard.protection;
  service = await serveHttp(workshop.server, { port: 0, legacySse: true, authenticate });
  handler = createFetchHandler(workshop.server, { authenticate });
});
afterEach(async () => {
  workshop.release();
  await Promise.all([service.close(), handler.close()]);
});

interface Way {
  readonly name: string;
  send(headers: Headers): Promise<{ status: number; challenge: unknown }>;
}

/** Each way to send a request: every revision, every route and method, and the handler for Web-standard requests. */
const WAYS: Way[] = [
  ...EVERY.map((version) => ({
    name: `POST ${version}`,
    send: (headers: Headers) => over("POST", service.url, bodyOf(version), { ...headersOf(version), ...headers }),
  })),
  ...["GET", "DELETE"].map((method) => ({
    name: method,
    send: (headers: Headers) => over(method, service.url, undefined, { accept: "text/event-stream", ...headers }),
  })),
  { name: "GET of the SSE pair", send: (headers) => over("GET", `${service.url}/sse`, undefined, headers) },
  {
    name: "POST of the SSE pair",
    send: (headers) => over("POST", `${service.url}/messages?sessionId=x`, bodyOf("2024-11-05"), headers),
  },
  {
    name: "the fetch handler",
    async send(headers) {
      const sent = present({ ...headersOf(MODERN), ...headers }) as Record<string, string>;
      const init = { method: "POST", headers: sent, body: JSON.stringify(bodyOf(MODERN)) };
      const { status, headers: answered } = await handler(new Request("http://localhost/mcp", init));
      return { status, challenge: answered.get("www-authenticate") ?? undefined };
    },
  },
];

function bodyOf(version: string) {
  const clientInfo = { name: "test", version: "1" };
  return version === MODERN
    ? modern("tools/list")
    : legacy("initialize", { protocolVersion: version, capabilities: {}, clientInfo });
}

function headersOf(version: string): Headers {
  const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  return version === MODERN ? modernHeaders(modern("tools/list")) : json;
}

async function over(method: string, url: string, message: object | undefined, headers: Headers) {
  const body = message === undefined ? undefined : JSON.stringify(message);
  const response = await request(url, { method, headers, body });
  // Some of them are streams.
  response.destroy();
  return { status: response.statusCode ?? 0, challenge: response.headers["www-authenticate"] };
}

/** Sends credentials to `/mcp` as a request of the newest revision. */
const trying = (headers: Headers, query = "") =>
  over("POST", service.url + query, bodyOf(MODERN), { ...headersOf(MODERN), ...headers });

describe.each(WAYS)("a request by $name", (way) => {
  it("without credentials gets a challenge without an error", async () => {
    expect(await way.send({})).toEqual(MISSING);
  });

  it("with a token for another server is refused with one constant text", async () => {
    const authorization = bearer(issuer.token({ aud: "https://tools.example.com/other" }));
    expect(await way.send({ authorization })).toEqual(INVALID);
    // Again, now that the refusal is cached.
    expect(await way.send({ authorization })).toEqual(INVALID);
  });

  it("with a good token passes", async () => {
    const { status, challenge } = await way.send({ authorization: bearer(issuer.token()) });
    expect([401, 403, 500, 503]).not.toContain(status);
    expect(challenge).toBeUndefined();
  });
});

describe("the Authorization header", () => {
  it.each(["Basic YTpi", "Negotiate x", "DPoP x", "Token x", "Bearers x"])(
    "is as good as none with another scheme: %s",
    async (authorization) => {
      expect(await trying({ authorization })).toEqual(MISSING);
    },
  );

  it.each(["bearer", "BEARER", "bEaReR"])("may write the scheme as %s", async (scheme) => {
    expect((await trying({ authorization: `${scheme} ${issuer.token()}` })).status).toBe(200);
  });

  it("must have one well-formed token", async () => {
    const token = issuer.token();
    const wrong = ["", " \t", `  ${token}`, `\t${token}`, ` ${token} b`, ` ${token},Bearer b`, ` ${token}, Bearer b`];
    for (const rest of [...wrong, " =a", " a=b", ' "a"']) {
      expect([rest, await trying({ authorization: `Bearer${rest}` })]).toEqual([rest, MALFORMED]);
    }
    const head = `POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer `;
    expect(await sendRaw(service.port, Buffer.from(`${head}caf\xe9\r\n\r\n`, "latin1"))).toMatch(/^HTTP\/1.1 400 /);
    expect(await sendRaw(service.port, `${head}tokén\r\n\r\n`)).toMatch(/^HTTP\/1.1 400 /);
  });

  it("must not be sent twice", async () => {
    const token = issuer.token();
    for (const other of [token, issuer.token({ sub: "bob" })]) {
      const lines = [token, other].map((each) => `authorization: ${bearer(each)}`).join("\r\n");
      const head = `POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${lines}\r\ncontent-length: 0\r\n\r\n`;
      expect(await sendRaw(service.port, head)).toMatch(/^HTTP\/1.1 400 /);
      const request = new Request("http://localhost/mcp", { method: "POST" });
      for (const each of [token, other]) request.headers.append("authorization", bearer(each));
      expect((await handler(request)).status).toBe(400);
    }
  });

  it("is the only place of a token", async () => {
    const token = issuer.token();
    for (const query of [`?access_token=${token}`, `?a=b&access_token=${token}`]) {
      expect(await trying({}, query)).toEqual(MALFORMED);
      expect(await trying({ authorization: bearer(token) }, query)).toEqual(MALFORMED);
    }
    expect(await trying({ cookie: `access_token=${token}` })).toEqual(MISSING);
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect((await post(service.url, `access_token=${token}`, form)).status).toBe(401);
    const hidden = modern("tools/list", { _meta: { access_token: token, authorization: bearer(token) } });
    expect((await post(service.url, hidden, modernHeaders(hidden))).status).toBe(401);
  });

  it("is limited in length, and a longer one is not looked at", async () => {
    const fetches = issuer.requests.length;
    expect(await trying({ authorization: bearer("a".repeat(8193)) })).toEqual(MALFORMED);
    expect(issuer.requests).toHaveLength(fetches);
    expect(guard.logged).toEqual([]);
    // The longest one is looked at.
    expect(await trying({ authorization: bearer("a".repeat(8185)) })).toEqual(INVALID);
    const answer = await sendRaw(
      service.port,
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${"a".repeat(1_000_000)}\r\n\r\n`,
    );
    expect(answer.slice(0, 12)).toMatch(/^(HTTP\/1.1 431)?$/);
  });
});

describe("anyOf with API keys", () => {
  it("asks one protection for each kind of credentials, and no other after a refusal", async () => {
    const key = `pfr_${"k".repeat(43)}`;
    const digest = `sha256:${createHash("sha256").update(key).digest("hex")}`;
    const keys = apiKeys({ keys: { [digest]: { id: "ci" } } });
    const either = anyOf(keys, guard.protection);
    const both = async (token: string) => either.authenticate(requestOf(bearer(token)));
    expect(await both(key)).toMatchObject({ id: "ci" });
    expect(await both(issuer.token())).toMatchObject({ subject: "ada" });
    expect(await both(`pfr_${"x".repeat(43)}`)).toMatchObject({ status: 401 });
    expect(await both(issuer.token({ aud: "other" }))).toMatchObject({ status: 401 });
    expect(either.authenticate(requestOf())).toMatchObject({ headers: ["www-authenticate", MISSING.challenge] });
    expect(guard.protection.recognizes?.(requestOf("Bearer x"))).toBe(true);
    expect(guard.protection.recognizes?.(requestOf("Basic x"))).toBe(false);
  });
});

describe("anonymous callers", () => {
  it("are not callers with a bad token", async () => {
    const open = protect({ issuer: issuer.url, resource: RESOURCE, scopes: ["orders:read"], anonymous: true });
    expect(await open.try()).toBeUndefined();
    for (const bad of ["x", issuer.token({ aud: "other" })]) {
      expect(await open.try(bearer(bad))).toMatchObject({ status: 401 });
    }
    expect(await open.try("Basic YTpi")).toMatchObject({ status: 401 });
    expect(await open.try("Bearer")).toMatchObject({ status: 400 });
  });
});
