import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { serveHttp } from "proffer/http";
import { type OAuthOptions, oauth } from "proffer/oauth";
import { afterAll, describe, expect, it } from "vitest";
import { distFile } from "../dist.ts";
import { modern, post, send } from "../http/http-client.ts";
import { openWorkshop } from "../http/workshop.ts";
import { FakeIssuer, RESOURCE, toJwk } from "./fake-issuer.ts";

const ISSUER = "https://login.example.com";
const good: OAuthOptions = { issuer: ISSUER, resource: RESOURCE };
const opaque = { clientId: "id", clientSecret: "secret" };

describe("oauth() refuses", () => {
  it.each<[string, Partial<OAuthOptions>, RegExp]>([
    ["an issuer that is not encrypted", { issuer: "http://login.example.com" }, /issuer must be an https URL/],
    ["a resource that is not encrypted", { resource: "http://tools.example.com/mcp" }, /resource must be an https URL/],
    ["a resource that is no URL", { resource: "tools.example.com/mcp" }, /resource must be an https URL/],
    ["a resource with a fragment", { resource: `${RESOURCE}#a` }, /fragment/],
    ["a resource with a query", { resource: `${RESOURCE}?a` }, /without a query/],
    ["a resource with credentials", { resource: "https://a:b@tools.example.com/mcp" }, /credentials/],
    ["a resource that ends with a slash", { resource: `${RESOURCE}/` }, /slash at the end/],
    ["a resource in upper case", { resource: "https://TOOLS.example.com/mcp" }, /must be https:\/\/tools/],
    ["no issuer", { issuer: [] }, /must name an authorization server/],
    ["an issuer that is null", { issuer: [null as never] }, /issuer must be an https URL/],
    ["an empty issuer", { issuer: "" }, /issuer must be an https URL/],
    ["an issuer that is listed twice", { issuer: [ISSUER, ISSUER] }, /twice/],
    ["a symmetric algorithm", { algorithms: ["HS256"] }, /algorithms must be a list of ES256, .* not \["HS256"\]/],
    ["no signature", { algorithms: ["none"] }, /not \["none"\]/],
    ["no algorithm", { algorithms: [] }, /algorithms must be a list/],
    ["algorithms in one text", { algorithms: "ES256" as never }, /algorithms must be a list .* not "ES256"/],
    ["a tolerance of two minutes", { clockTolerance: 120 }, /clockTolerance must be a number from 0 to 60, not 120/],
    ["a negative tolerance", { clockTolerance: -1 }, /from 0 to 60/],
    ["offline_access", { scopes: ["offline_access"] }, /must not contain offline_access/],
    ["openid", { scopes: ["openid"] }, /must not contain openid/],
    ["a scope with a space", { scopes: ["a b"] }, /"a b"/],
    ["a scope with a quote", { scopes: ['a"b'] }, /no spaces, quotes/],
    ["a scope with a backslash", { scopes: ["a\\b"] }, /backslashes/],
    ["scopes in one text", { scopes: "a" as never }, /scopes must be an array of strings, not "a"/],
    ["an empty scope", { scopes: [""] }, /scopes has ""/],
    ["scopes that include each other", { includes: { a: ["b"], b: ["c"], c: ["a"] } }, /cycle: a → b → c → a/],
    ["an included scope with a space", { includes: { a: ["b c"] } }, /includes\.a has "b c"/],
    ["a broader scope with a space", { includes: { "a b": ["c"] } }, /includes has "a b"/],
    [
      "an included scope that is no list",
      { includes: { a: "b" as never } },
      /^oauth\(\): includes\.a must be an array of strings, not "b"\.$/,
    ],
    ["any type without an audience", { issuer: [{ issuer: ISSUER, typ: false }] }, /typ: false needs audience/],
    ["another type", { issuer: [{ issuer: ISSUER, typ: "JWT" as never }] }, /typ must be/],
    ["an empty audience", { audience: [] }, /audience must be/],
    ["a word for anonymous", { anonymous: "yes" as never }, /anonymous must be true or false/],
    ["a word for ask", { ask: "some" as never }, /ask must be "baseline" or "all"/],
    ["an empty cache", { cache: { size: 0 } }, /cache\.size must be a number from 1 to 1000000, not 0/],
    ["a cache for a day", { cache: { seconds: 86_400 } }, /cache\.seconds must be a number from 1 to 3600/],
    ["metadata that follows from other options", { metadata: { resource: "x" } }, /must not contain resource/],
    [
      "introspection without a secret",
      { introspection: { clientId: "a", clientSecret: "" } },
      /needs clientId and clientSecret/,
    ],
    ["introspection in the clear", { introspection: { ...opaque, endpoint: "http://a.example" } }, /https/],
    [
      "introspection of an unknown issuer",
      { issuer: [ISSUER, "https://b.example"], introspection: opaque },
      /introspection\.issuer must name one/,
    ],
    ["a proxy of another kind", { proxy: "socks5://a.example" }, /proxy must be a URL of http: or https:/],
    ["keys in the clear", { issuer: [{ issuer: ISSUER, jwks: "http://a.example/keys" }] }, /jwks must be an https URL/],
  ])("%s", (_, change, message) => {
    expect(() => oauth({ ...good, ...change })).toThrow(message);
    expect(() => oauth({ ...good, ...change })).toThrow(expect.objectContaining({ name: "UsageError" }));
  });

  it("a server at another path than its resource", async () => {
    const { server } = openWorkshop();
    const serve = (path: string, resource: string) =>
      serveHttp(server, { port: 0, path, authenticate: oauth({ ...good, resource }) });
    await expect(serve("/orders", RESOURCE)).rejects.toThrow(
      /resource of oauth\(\) is .*\/mcp, but the server is at \/orders/,
    );
    await expect(serve("/cp", RESOURCE)).rejects.toThrow(/is at \/cp/);
    for (const [path, resource] of [
      ["/mcp", RESOURCE],
      ["/", "https://tools.example.com"],
      ["/", RESOURCE],
      ["/mcp", "https://tools.example.com/tools/mcp"],
      ["/mcp", "http://localhost:3000/mcp"],
    ] as const) {
      const service = await serve(path, resource);
      await service.close();
    }
  });

  describe("to start without jose", () => {
    const folder = mkdtempSync(join(tmpdir(), "proffer-jose-"));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    const run = (dist: string) => {
      const script = `import { oauth } from ${JSON.stringify(join(dist, "oauth.js"))};
        try { oauth(${JSON.stringify(good)}); } catch ({ code, message }) { console.log(code, message); }`;
      return spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" }).stdout;
    };

    it("and says how to install it", () => {
      const dist = dirname(distFile("oauth.js"));
      expect(run(dist)).toBe("");
      const copy = join(folder, "node_modules/proffer");
      mkdirSync(copy, { recursive: true });
      cpSync(dist, join(copy, "dist"), { recursive: true });
      // Without its package.json it could be a bundle, which contains jose.
      expect(run(join(copy, "dist"))).toBe("");
      cpSync(join(dist, "../package.json"), join(copy, "package.json"));
      expect(run(join(copy, "dist"))).toBe("missing_peer oauth() needs the package jose: npm install jose\n");
    });
  });
});

describe("the readiness of a protected server", () => {
  it("fails until the keys were fetched once, and not when the authorization server is down later", async () => {
    const issuer = await FakeIssuer.open();
    const { server } = openWorkshop();
    const authenticate = oauth({ issuer: issuer.url, resource: RESOURCE });
    const service = await serveHttp(server, { port: 0, health: true, authenticate });
    const ready = () => send(`${new URL(service.url).origin}/readyz`).then(({ status }) => status);
    expect(issuer.requests).toEqual([]);
    await expect.poll(ready).toBe(200);
    await issuer.close();
    expect(await ready()).toBe(200);
    await service.close();
  });

  it("names the keys while they cannot be fetched", async () => {
    const { server } = openWorkshop();
    const authenticate = oauth({ issuer: "http://127.0.0.1:9", resource: RESOURCE });
    const service = await serveHttp(server, { port: 0, health: true, authenticate });
    const { status, body } = await send(`${new URL(service.url).origin}/readyz`);
    expect({ status, body }).toMatchObject({ status: 503, body: expect.stringContaining("keys") });
    expect((await post(service.url, modern("tools/list"))).status).toBe(401);
    await service.close();
  });

  it("does not wait for keys that are given", async () => {
    const issuer = await FakeIssuer.open();
    const { server } = openWorkshop();
    const jwks = { keys: issuer.keys.map(toJwk) };
    const authenticate = oauth({ issuer: [{ issuer: issuer.url, jwks }], resource: RESOURCE });
    const service = await serveHttp(server, { port: 0, health: true, authenticate });
    await expect.poll(async () => (await send(`${new URL(service.url).origin}/readyz`)).status).toBe(200);
    expect(issuer.requests).toEqual([]);
    await Promise.all([service.close(), issuer.close()]);
  });
});
