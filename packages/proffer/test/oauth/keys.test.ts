import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { COOL_DOWN, FRESH, STALE } from "../../src/oauth/issuer.ts";
import { createKey, FakeIssuer, forge, json, KEYS_PATH, RESOURCE, toJwk } from "./fake-issuer.ts";
import { bearer, protect, statusOf } from "./protect.ts";

let issuer: FakeIssuer;

beforeEach(async () => {
  issuer = await FakeIssuer.open();
});
afterEach(() => issuer.close());

const options = () => ({ issuer: issuer.url, resource: RESOURCE });

describe("the keys of an issuer", () => {
  it("are found by its metadata, and fetched once for all requests that wait", async () => {
    const guard = protect(options());
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => guard.try(bearer(issuer.token()))));
    expect(outcomes.map(statusOf)).toEqual(Array(20).fill(200));
    expect(issuer.requests).toEqual(["/.well-known/oauth-authorization-server", KEYS_PATH]);
  });

  it.each([
    ["/tenant", "/.well-known/oauth-authorization-server/tenant"],
    ["/tenant", "/.well-known/openid-configuration/tenant"],
    ["/tenant", "/tenant/.well-known/openid-configuration"],
    ["/", "/.well-known/openid-configuration"],
  ])("are found for the issuer path %s at %s", async (path, location) => {
    const name = issuer.url + path;
    issuer.routes.delete("/.well-known/oauth-authorization-server");
    issuer.route(
      location,
      json(() => ({ issuer: name, jwks_uri: issuer.url + KEYS_PATH })),
    );
    const guard = protect({ issuer: name, resource: RESOURCE });
    expect(statusOf(await guard.try(bearer(issuer.token({ iss: name }))))).toBe(200);
  });

  it("can be given, as a URL or as keys", async () => {
    const given = [{ issuer: issuer.url, jwks: issuer.url + KEYS_PATH }];
    expect(statusOf(await protect({ ...options(), issuer: given }).try(bearer(issuer.token())))).toBe(200);
    expect(issuer.requests).toEqual([KEYS_PATH]);
    const fixed = [{ issuer: issuer.url, jwks: { keys: issuer.keys.map(toJwk) } }];
    const guard = protect({ ...options(), issuer: fixed });
    expect(statusOf(await guard.try(bearer(issuer.token())))).toBe(200);
    guard.clock.pass(FRESH + STALE);
    expect(statusOf(await guard.try(bearer(issuer.token(issuer.claims({}, guard.clock.time)))))).toBe(200);
    expect(issuer.requests).toEqual([KEYS_PATH]);
  });

  it("are fetched at most once in 30 seconds for 10,000 unknown key ids", async () => {
    const guard = protect(options());
    await guard.try(bearer(issuer.token()));
    guard.clock.pass(COOL_DOWN);
    const token = (kid: string) => bearer(forge({ alg: "ES256", typ: "at+jwt", kid }, issuer.claims(), "secret"));
    const outcomes = await Promise.all(Array.from({ length: 10_000 }, (_, n) => guard.try(token(`unknown-${n}`))));
    expect(new Set(outcomes.map(statusOf))).toEqual(new Set([401]));
    expect(issuer.fetches).toBe(2);
    guard.clock.pass(COOL_DOWN - 1);
    // The key may be new: the client keeps its token.
    expect(await guard.try(token("late"))).toMatchObject({ status: 503, headers: ["retry-after", "5"] });
    expect(issuer.fetches).toBe(2);
    guard.clock.pass(1);
    await guard.try(token("later"));
    expect(issuer.fetches).toBe(3);
    await guard.try(token("k".repeat(257)));
    expect(issuer.requests).toHaveLength(4);
    guard.clock.pass(60_000);
    await guard.try(token("last"));
    // A reason is logged once a minute.
    expect(guard.logged.map(({ reason }) => reason)).toEqual(["key", "unavailable", "key"]);
    expect(guard.logged[2]).toMatchObject({ more: 10_001 });
  });

  const BROKEN: [string, Parameters<FakeIssuer["route"]>[1]][] = [
    ["answers with 500", (_, response) => response.writeHead(500).end()],
    ["redirects", (_, response) => response.writeHead(302, { location: "/elsewhere" }).end()],
    ["answers with HTML", (_, response) => response.end("<html>")],
    ["answers with 20 MB", (_, response) => response.end(`{"keys":[${" ".repeat(20_000_000)}]}`)],
    ["answers with 101 keys", json(() => ({ keys: Array(101).fill({}) }))],
    ["answers with something else", json(() => ({ keys: 1 }))],
    ["closes the connection", (request) => request.destroy()],
  ];

  it.each(BROKEN)("are not available if the endpoint %s: 503, one attempt in 30 seconds", async (_, respond) => {
    const guard = protect(options());
    const [working] = [issuer.routes.get(KEYS_PATH)];
    issuer.route(KEYS_PATH, respond);
    if (working !== undefined) issuer.route("/elsewhere", working);
    for (let round = 1; round <= 2; round++) {
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => guard.try(bearer(issuer.token()))));
      expect(outcomes).toEqual(Array(20).fill(expect.objectContaining({ status: 503, headers: ["retry-after", "5"] })));
      expect(issuer.fetches).toBe(round);
      guard.clock.pass(COOL_DOWN);
    }
    expect(guard.logged.filter(({ level }) => level === "error")).toHaveLength(2);
    expect(issuer.requests).not.toContain("/elsewhere");
    if (working !== undefined) issuer.route(KEYS_PATH, working);
    expect(statusOf(await guard.try(bearer(issuer.token())))).toBe(200);
  });

  it.each<[string, Parameters<FakeIssuer["route"]>[1]]>([
    ["never answers", () => {}],
    ["sends its response byte by byte", (_, response) => drip(response)],
  ])("are not available within the time limit if the endpoint %s", async (_, respond) => {
    const guard = protect(options(), { fetchTimeout: 50 });
    issuer.route(KEYS_PATH, respond);
    expect(statusOf(await guard.try(bearer(issuer.token())))).toBe(503);
    expect(String(guard.logged[0]?.error)).toContain("did not answer within 50 ms");
  });

  it("are not fetched for a token that is refused without them", async () => {
    const guard = protect(options());
    for (const claims of [{ exp: -1 }, { aud: "https://other.example" }, { sub: "" }]) {
      expect(statusOf(await guard.try(bearer(issuer.token(claims))))).toBe(401);
    }
    expect(issuer.fetches).toBe(0);
  });

  it("stay in use for an hour while the endpoint fails, and nobody waits for it", async () => {
    const guard = protect(options());
    await guard.try(bearer(issuer.token()));
    issuer.route(KEYS_PATH, (_, response) => response.writeHead(500).end());
    const later = async (milliseconds: number) => {
      guard.clock.pass(milliseconds);
      return statusOf(await guard.try(bearer(issuer.token(issuer.claims({}, guard.clock.time)))));
    };
    expect(await later(FRESH)).toBe(200);
    expect(guard.logged).toMatchObject([{ level: "warning", message: expect.stringContaining("stay in use") }]);
    // The next attempt hangs, but happens in the background.
    issuer.route(KEYS_PATH, () => {});
    expect(await later(COOL_DOWN)).toBe(200);
    await expect.poll(() => issuer.fetches).toBe(3);
    await issuer.close();
    await expect.poll(() => guard.logged.length).toBe(2);
    expect(await later(STALE - 2 * COOL_DOWN)).toBe(200);
    expect(await later(COOL_DOWN)).toBe(503);
    issuer = await FakeIssuer.open();
  });

  it("are fetched again for a new key id, before the request is answered", async () => {
    const guard = protect(options());
    await guard.try(bearer(issuer.token()));
    issuer.keys.push(createKey("second"));
    guard.clock.pass(COOL_DOWN);
    expect(statusOf(await guard.try(bearer(issuer.token())))).toBe(200);
    expect(issuer.fetches).toBe(2);
  });

  it("are forgotten 10 minutes after the issuer has withdrawn them", async () => {
    const guard = protect(options());
    const [old] = issuer.keys;
    await guard.try(bearer(issuer.token()));
    issuer.keys = [createKey("second")];
    guard.clock.pass(FRESH);
    const token = issuer.token(issuer.claims({}, guard.clock.time), {}, old);
    expect(statusOf(await guard.try(bearer(token)))).toBe(401);
  });

  it("are fetched in the background before they are too old", async () => {
    const guard = protect(options());
    await guard.try(bearer(issuer.token()));
    guard.clock.pass(0.9 * FRESH);
    await guard.try(bearer(issuer.token(issuer.claims({}, guard.clock.time))));
    await expect.poll(() => issuer.fetches).toBe(2);
  });

  it("are looked for again if they have moved", async () => {
    const guard = protect(options());
    await guard.try(bearer(issuer.token()));
    issuer.keys.push(createKey("second"));
    issuer.routes.delete(KEYS_PATH);
    issuer.route(
      "/moved",
      json(() => ({ keys: issuer.keys.map(toJwk) })),
    );
    issuer.route(
      "/.well-known/oauth-authorization-server",
      json(() => ({ issuer: issuer.url, jwks_uri: `${issuer.url}/moved` })),
    );
    // While the keys cannot be fetched, nobody knows whether the token is good.
    for (const status of [503, 200]) {
      guard.clock.pass(COOL_DOWN);
      expect(statusOf(await guard.try(bearer(issuer.token())))).toBe(status);
    }
  });

  it("are not used if the metadata is of another issuer", async () => {
    const { port } = new URL(issuer.url);
    for (const other of [`${issuer.url}/`, `http://localhost:${port}`, issuer.url.toUpperCase(), undefined]) {
      issuer.route(
        "/.well-known/oauth-authorization-server",
        json(() => ({ issuer: other, jwks_uri: issuer.url + KEYS_PATH })),
      );
      const guard = protect(options());
      expect(statusOf(await guard.try(bearer(issuer.token())))).toBe(503);
      expect(guard.logged[0]).toMatchObject({ level: "error" });
    }
    expect(issuer.fetches).toBe(0);
  });

  it.each([
    "https://169.254.169.254/keys",
    "https://127.1/keys",
    "https://0x7f000001/keys",
    "https://[::ffff:10.0.0.1]/keys",
    "https://localtest.me/keys",
    "http://10.0.0.1/keys",
    "file:///etc/passwd",
    "https://user:password@keys.example.com/keys",
  ])("are not fetched from %s, although the metadata says so", async (jwks_uri) => {
    const requests = [http, https].map((module) => vi.spyOn(module, "request"));
    issuer.route(
      "/.well-known/oauth-authorization-server",
      json(() => ({ issuer: issuer.url, jwks_uri })),
    );
    expect(statusOf(await protect(options()).try(bearer(issuer.token())))).toBe(503);
    const hosts = requests.flatMap(({ mock }) => mock.calls.map(([url]) => new URL(String(url)).host));
    vi.restoreAllMocks();
    expect(new Set(hosts)).toEqual(new Set([new URL(issuer.url).host]));
  });

  it("are not fetched from another host, unless it is trusted", async () => {
    const other = http.createServer((request, response) => {
      if (request.url === "/keys") json(() => ({ keys: issuer.keys.map(toJwk) }))(request, response);
    });
    other.listen(0, "127.0.0.1");
    await once(other, "listening");
    const host = `127.0.0.1:${(other.address() as AddressInfo).port}`;
    issuer.route(
      "/.well-known/oauth-authorization-server",
      json(() => ({ issuer: issuer.url, jwks_uri: `http://${host}/keys` })),
    );
    const guard = protect(options());
    expect(statusOf(await guard.try(bearer(issuer.token())))).toBe(503);
    expect(String(guard.logged[0]?.error)).toContain("trustedHosts");
    const trusting = protect({ ...options(), issuer: [{ issuer: issuer.url, trustedHosts: [host] }] });
    expect(statusOf(await trusting.try(bearer(issuer.token())))).toBe(200);
    issuer.route(
      "/.well-known/oauth-authorization-server",
      json(() => ({ issuer: issuer.url, jwks_uri: "http://keys.example.com/keys" })),
    );
    expect(statusOf(await protect(options()).try(bearer(issuer.token())))).toBe(503);
    other.close();
  });

  it("verify tokens of their own issuer only", async () => {
    const other = await FakeIssuer.open();
    const guard = protect({ ...options(), issuer: [issuer.url, other.url] });
    expect(statusOf(await guard.try(bearer(issuer.token())))).toBe(200);
    expect(statusOf(await guard.try(bearer(other.token())))).toBe(200);
    const [theirs] = other.keys;
    expect(statusOf(await guard.try(bearer(issuer.token({}, {}, theirs))))).toBe(401);
    other.keys.push(createKey("unique"));
    guard.clock.pass(COOL_DOWN);
    expect(statusOf(await guard.try(bearer(issuer.token({}, {}, other.keys[1]))))).toBe(401);
    await other.close();
  });
});

/** Sends a byte of a response now and then. */
function drip(response: http.ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => response.write(" "), 5);
  response.on("close", () => clearInterval(timer));
}
