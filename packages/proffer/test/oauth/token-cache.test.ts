import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { digestOf, MAX_REFUSED, REFUSED_TIME, TokenCache } from "../../src/oauth/oauth.ts";
import { Refused } from "../../src/oauth/refusals.ts";
import { FakeIssuer, KEYS_PATH, RESOURCE } from "./fake-issuer.ts";
import { bearer, protect, requestOf, statusOf, TestClock } from "./protect.ts";

let issuer: FakeIssuer;
beforeAll(async () => {
  issuer = await FakeIssuer.open();
});
afterAll(() => issuer.close());

const options = () => ({ issuer: issuer.url, resource: RESOURCE });

describe("a verified token", () => {
  it("is recognized without a promise, as the same frozen principal", async () => {
    const { protection } = protect(options());
    const request = requestOf(bearer(issuer.token()));
    const first = protection.authenticate(request);
    expect(first).toBeInstanceOf(Promise);
    const principal = await first;
    expect(protection.authenticate(request)).toBe(principal);
    expect(Object.isFrozen(principal)).toBe(true);
  });

  it("is refused from the moment it expires, with the tolerance", async () => {
    const guard = protect(options());
    const { exp, ...rest } = issuer.claims({ exp: Math.floor(guard.clock.time / 1000) + 20 });
    const token = bearer(issuer.token({ ...rest, exp }));
    expect(statusOf(await guard.try(token))).toBe(200);
    const end = (Number(exp) + 5) * 1000;
    guard.clock.time = end - 1;
    expect(statusOf(guard.protection.authenticate(requestOf(token)))).toBe(200);
    guard.clock.time = end;
    expect(statusOf(await guard.try(token))).toBe(401);
  });

  it("is verified again after a minute, so that a withdrawn key counts", async () => {
    const guard = protect(options());
    const token = bearer(issuer.token());
    await guard.try(token);
    guard.clock.pass(59_999);
    expect(guard.protection.authenticate(requestOf(token))).not.toBeInstanceOf(Promise);
    guard.clock.pass(1);
    expect(guard.protection.authenticate(requestOf(token))).toBeInstanceOf(Promise);
  });

  it("is not remembered if the cache is off", async () => {
    const { protection } = protect({ ...options(), cache: false });
    const request = requestOf(bearer(issuer.token()));
    await protection.authenticate(request);
    expect(protection.authenticate(request)).toBeInstanceOf(Promise);
  });

  it("is refused again without a promise for some seconds, and keys are fetched for none of it", async () => {
    const guard = protect(options());
    await guard.try(bearer(issuer.token()));
    const bad = bearer(issuer.token({ aud: "other" }));
    expect(statusOf(await guard.try(bad))).toBe(401);
    expect(statusOf(guard.protection.authenticate(requestOf(bad)))).toBe(401);
    guard.clock.pass(REFUSED_TIME);
    expect(guard.protection.authenticate(requestOf(bad))).toBeInstanceOf(Promise);
    expect(issuer.requests.filter((path) => path === KEYS_PATH).length).toBeLessThan(10);
  });

  it("is verified once for requests that arrive together", async () => {
    const guard = protect({ ...options(), principal: () => ({ at: {} }) });
    const token = bearer(issuer.token());
    const outcomes = await Promise.all([guard.try(token), guard.try(token)]);
    expect(outcomes.map(statusOf)).toEqual([200, 200]);
  });
});

describe("the cache of tokens", () => {
  const clock = new TestClock();
  const environment = { now: () => clock.time, uptime: () => clock.uptime, fetchTimeout: 1, log() {}, report() {} };

  it("forgets an outcome in its time, also if the clock was set back meanwhile", () => {
    const cache = new TokenCache(10, environment);
    cache.add("bad", new Refused("expired"), 60);
    cache.add("good", { id: "ada" }, 60);
    clock.pass(60_000);
    clock.time -= 7_200_000;
    expect([cache.find("bad"), cache.find("good")]).toEqual([undefined, undefined]);
  });

  it("keeps the newest of 100,000 tokens, and refused ones do not displace them", () => {
    const cache = new TokenCache(10_000, environment);
    for (let n = 0; n < 100_000; n++) cache.add(`good-${n}`, { id: String(n) }, 60);
    for (let n = 0; n < 100_000; n++) cache.add(`bad-${n}`, new Refused("signature"), 60);
    const known = (prefix: string) =>
      Array.from({ length: 100_000 }, (_, n) => cache.find(`${prefix}-${n}`)).filter((each) => each !== undefined);
    const good = known("good") as { id: string }[];
    expect(good).toHaveLength(10_000);
    expect(good[0]).toEqual({ id: "90000" });
    expect(known("bad")).toHaveLength(MAX_REFUSED);
  });

  it("has the whole SHA-256 of a token as its key, or the token where there is no synchronous digest", () => {
    const { getBuiltinModule } = process;
    const tokens = ["a".repeat(8192), `${"a".repeat(8191)}b`];
    const keys = tokens.map(digestOf());
    expect(new Set(keys).size).toBe(2);
    for (const key of keys) expect(Buffer.from(key, "base64")).toHaveLength(32);
    process.getBuiltinModule = (() => undefined) as never;
    expect(tokens.map(digestOf())).toEqual(tokens);
    process.getBuiltinModule = getBuiltinModule;
  });
});
