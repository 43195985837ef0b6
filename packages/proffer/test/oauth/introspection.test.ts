import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MAX_INTROSPECTIONS } from "../../src/oauth/verify.ts";
import { FakeIssuer, json, RESOURCE } from "./fake-issuer.ts";
import { bearer, type Protected, protect, statusOf } from "./protect.ts";

const PATH = "/introspect";

let issuer: FakeIssuer;
let guard: Protected;
/** The body and credentials of each request. */
let asked: { readonly body: string; readonly authorization: string | undefined }[];
let answer: object;

beforeEach(async () => {
  issuer = await FakeIssuer.open();
  asked = [];
  answer = issuer.claims({ active: true, token_type: "Bearer", exp: undefined });
  issuer.route(
    "/.well-known/oauth-authorization-server",
    json(() => ({ issuer: issuer.url, introspection_endpoint: issuer.url + PATH })),
  );
  issuer.route(PATH, async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    asked.push({ body, authorization: request.headers.authorization });
    json(() => answer)(request, response);
  });
  guard = protect(options());
});
afterEach(() => issuer.close());

const introspection = { clientId: "us:1", clientSecret: "s/e c" };
const options = (more: object = {}) => ({
  issuer: issuer.url,
  resource: RESOURCE,
  introspection: { ...introspection, ...more },
});

describe("an opaque token", () => {
  it("is verified by its authorization server, with the client's own credentials", async () => {
    expect(await guard.try(bearer("opaque+/token=="))).toMatchObject({
      id: JSON.stringify([issuer.url, "ada", "web"]),
      scopes: ["orders:read"],
    });
    const authorization = `Basic ${Buffer.from("us%3A1:s%2Fe+c").toString("base64")}`;
    expect(asked).toEqual([{ body: "token=opaque%2B%2Ftoken%3D%3D&token_type_hint=access_token", authorization }]);
  });

  it("is asked about once in 30 seconds, so that a revoked one is refused then", async () => {
    const token = bearer("opaque");
    const together = await Promise.all(Array.from({ length: 10 }, () => guard.try(token)));
    expect(together.map(statusOf)).toEqual(Array(10).fill(200));
    answer = { active: false };
    guard.clock.pass(29_999);
    expect(statusOf(await guard.try(token))).toBe(200);
    expect(asked).toHaveLength(1);
    guard.clock.pass(1);
    expect(statusOf(await guard.try(token))).toBe(401);
    expect(statusOf(await guard.try(token))).toBe(401);
    expect(asked).toHaveLength(2);
  });

  it("is not remembered beyond its end", async () => {
    answer = { ...answer, exp: Math.floor(guard.clock.time / 1000) + 10 };
    expect(statusOf(await guard.try(bearer("opaque")))).toBe(200);
    guard.clock.pass(16_000);
    expect(statusOf(await guard.try(bearer("opaque")))).toBe(401);
  });

  it.each([
    ["active is a text", { active: "true" }],
    ["active is a number", { active: 1 }],
    ["it is empty", {}],
    ["the issuer is another one", { iss: "https://evil.example.com" }],
    ["it is for another server", { aud: "https://tools.example.com/other" }],
    ["it has no audience", { aud: undefined }],
    ["it has expired", { exp: 1 }],
    ["it is not valid yet", { nbf: 1e11 }],
    ["its end is not a number", { exp: "soon" }],
    ["it is bound to a key", { cnf: { jkt: "x" } }],
    ["it is a DPoP token", { token_type: "DPoP" }],
    ["it belongs to nobody", { sub: undefined, client_id: undefined }],
  ])("is refused if %s", async (name, change) => {
    answer = name === "it is empty" ? {} : { ...answer, ...change };
    expect(statusOf(await guard.try(bearer("opaque")))).toBe(401);
  });

  it("may have no audience if that is allowed, and may belong to a client", async () => {
    answer = { ...answer, aud: undefined, iss: undefined, iat: undefined, sub: undefined };
    expect(await protect(options({ audience: false })).try(bearer("opaque"))).toMatchObject({
      id: JSON.stringify([issuer.url, null, "web"]),
    });
  });

  it.each<[string, Parameters<FakeIssuer["route"]>[1]]>([
    ["answers with 500", (_, response) => response.writeHead(500).end()],
    ["answers with 401", (_, response) => response.writeHead(401).end()],
    ["answers with HTML", (_, response) => response.end("<html>")],
    ["answers with 10 MB", (_, response) => response.end(JSON.stringify({ active: true, x: "x".repeat(10_000_000) }))],
    ["never answers", () => {}],
  ])("gets 503 if the endpoint %s, and is tried again with the next request", async (name, respond) => {
    const broken = protect(options(), name === "never answers" ? { fetchTimeout: 50 } : {});
    const [working] = [issuer.routes.get(PATH)];
    issuer.route(PATH, respond);
    expect(await broken.try(bearer("opaque"))).toMatchObject({ status: 503, headers: ["retry-after", "5"] });
    expect(broken.logged).toMatchObject([{ reason: "unavailable", error: expect.any(Error) }]);
    // The short limit would be too short for a good answer on a busy machine.
    if (working === undefined || name === "never answers") return;
    issuer.route(PATH, working);
    expect(statusOf(await broken.try(bearer("opaque")))).toBe(200);
  });

  it("of 10,000 random ones, at most 64 are asked about at once; the rest gets 503", async () => {
    let open = 0;
    let most = 0;
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    issuer.route(PATH, async (request, response) => {
      most = Math.max(most, ++open);
      await released;
      open--;
      json(() => ({ active: false }))(request, response);
    });
    const outcomes = Array.from({ length: 10_000 }, (_, n) => guard.try(bearer(`random-${n}`)));
    await expect.poll(() => open).toBe(MAX_INTROSPECTIONS);
    release();
    const statuses = (await Promise.all(outcomes)).map(statusOf);
    expect(statuses.filter((status) => status === 401)).toHaveLength(MAX_INTROSPECTIONS);
    expect(statuses.filter((status) => status === 503)).toHaveLength(10_000 - MAX_INTROSPECTIONS);
    expect(most).toBe(MAX_INTROSPECTIONS);
    expect(guard.logged.length).toBeLessThan(5);
  });

  it("of another address is asked about while one address sends many", async () => {
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    issuer.route(PATH, async (request, response) => {
      await released;
      json(() => answer)(request, response);
    });
    const from = (address: string) => (_: unknown, n: number) =>
      guard.try(bearer(`${address} ${n}`.replaceAll(/[^\w]/g, "-")), "", address);
    const greedy = Array.from({ length: 200 }, from("2001:db8::1"));
    const neighbors = Array.from({ length: 10 }, from("2001:db8::2"));
    const others = Array.from({ length: 20 }, from("192.0.2.7"));
    release();
    const count = async (sent: Promise<unknown>[]) =>
      (await Promise.all(sent)).filter((each) => statusOf(each) === 200).length;
    expect([await count(greedy), await count(neighbors)]).toEqual([MAX_INTROSPECTIONS / 2, 0]);
    // A share.
    expect(await count(others)).toBe(10);
  });

  it("is refused without introspection, and a JWT is never introspected", async () => {
    expect(statusOf(await protect({ issuer: issuer.url, resource: RESOURCE }).try(bearer("opaque")))).toBe(401);
    // Its issuer has no keys.
    expect(statusOf(await guard.try(bearer(issuer.token())))).toBe(401);
    expect(asked).toEqual([]);
  });
});
