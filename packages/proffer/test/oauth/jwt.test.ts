import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey, FakeIssuer, forge, RESOURCE, toJwk } from "./fake-issuer.ts";
import { bearer, type Protected, protect, statusOf } from "./protect.ts";

let issuer: FakeIssuer;
let guard: Protected;
const rsa = createKey("rsa", "rsa");

beforeAll(async () => {
  issuer = await FakeIssuer.open();
  issuer.keys.unshift(rsa);
  guard = protect({ issuer: issuer.url, resource: RESOURCE, scopes: ["orders:read"] });
});
afterAll(() => issuer.close());

const INVALID = {
  status: 401,
  headers: [
    "www-authenticate",
    `Bearer error="invalid_token", scope="orders:read", resource_metadata="https://tools.example.com/.well-known/oauth-protected-resource/mcp", error_description="The access token is not valid here"`,
  ],
};

/** Expects the constant refusal for each token, and the reason in the log only. */
async function refused(tokens: readonly string[], reason: string, by = guard): Promise<void> {
  for (const token of tokens) {
    // A minute later the reason is logged again.
    by.clock.uptime += 61_000;
    by.logged.length = 0;
    expect([token, await by.try(bearer(token))]).toEqual([token, expect.objectContaining(INVALID)]);
    expect(by.logged.map((entry) => entry.reason)).toEqual([reason]);
    const [, payload, signature] = token.split(".");
    const text = JSON.stringify(by.logged);
    for (const part of [token, payload, signature].filter(Boolean)) expect(text).not.toContain(part);
  }
}

async function accepted(token: string, by = guard): Promise<void> {
  expect(await by.try(bearer(token))).toMatchObject({ id: JSON.stringify([issuer.url, "ada", "web"]) });
}

const seconds = () => Math.floor(guard.clock.time / 1000);

describe("a JWT", () => {
  it("must be signed", async () => {
    const key = createKey("none").privateKey;
    const none = forge({ alg: "none", typ: "at+jwt" }, issuer.claims(), key);
    await refused([none, forge({ alg: "None", typ: "at+jwt" }, issuer.claims(), key)], "algorithm");
    await refused([issuer.token().replace(/[^.]+$/, "")], "signature");
  });

  it("is not verified with a public key as a shared secret", async () => {
    const header = { alg: "HS256", typ: "at+jwt", kid: "rsa" };
    const pem = String(rsa.publicKey.export({ format: "pem", type: "spki" }));
    const der = rsa.publicKey.export({ format: "der", type: "spki" }).toString("latin1");
    await refused(
      [pem, der].map((secret) => forge(header, issuer.claims(), secret)),
      "algorithm",
    );
  });

  it("must use a listed algorithm", async () => {
    await accepted(issuer.token({}, { alg: "RS256" }, rsa));
    await refused([issuer.token({}, { alg: "RS512" }, rsa)], "algorithm");
    const strict = protect({
      issuer: issuer.url,
      resource: RESOURCE,
      scopes: ["orders:read"],
      algorithms: ["ES256"],
    });
    await refused([issuer.token({}, { alg: "RS256" }, rsa)], "algorithm", strict);
  });

  it("is never verified with a key from its own header", async () => {
    let visits = 0;
    const attacker = http.createServer((_, response) => {
      visits++;
      response.end(JSON.stringify({ keys: [toJwk(own)] }));
    });
    await new Promise<void>((resolve) => attacker.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(attacker.address() as AddressInfo).port}/keys`;
    const own = createKey("first");
    const headers = [{ jwk: toJwk(own) }, { jku: url }, { x5u: url }, { x5c: ["AAAA"] }];
    await refused(
      headers.map((header) => issuer.token({}, header, own)),
      "signature",
    );
    expect(visits).toBe(0);
    attacker.close();
  });

  it("must be signed with the key that it names", async () => {
    await refused([issuer.token({}, {}, createKey("first"))], "signature");
    // A key of another type cannot have signed it.
    await refused([issuer.token({}, { kid: "rsa" })], "key");
  });

  it("is accepted without a key id if only one key fits", async () => {
    await accepted(issuer.token({}, { kid: undefined }));
    issuer.keys.push(createKey("another"));
    const later = protect({ issuer: issuer.url, resource: RESOURCE, scopes: ["orders:read"] });
    await refused([issuer.token({}, { kid: undefined })], "ambiguous", later);
    issuer.keys.pop();
  });

  it("must name a configured issuer", async () => {
    const { url } = issuer;
    const others = ["https://evil.example.com", undefined, `${url}/`, [url], url.toUpperCase(), 1, {}];
    const before = issuer.requests.length;
    await refused(
      others.map((iss) => issuer.token({ iss })),
      "issuer",
    );
    expect(issuer.requests).toHaveLength(before);
  });

  it("must be issued for this server", async () => {
    const { origin, host } = new URL(RESOURCE);
    const others = [
      `${origin}/b/mcp`,
      origin,
      `${origin}/m`,
      `${RESOURCE}/`,
      RESOURCE.replace(host, host.toUpperCase()),
      undefined,
      [],
      [{}],
      [[RESOURCE]],
      1,
      null,
    ];
    await refused(
      others.map((aud) => issuer.token({ aud })),
      "audience",
    );
  });

  it("may be issued for others as well", async () => {
    await accepted(issuer.token({ aud: ["https://other.example.com", RESOURCE] }));
    const several = protect({ issuer: issuer.url, resource: RESOURCE, audience: ["app-id", RESOURCE] });
    await accepted(issuer.token({ aud: "app-id" }), several);
  });

  it("must be valid now, with the tolerance", async () => {
    await accepted(issuer.token({ exp: seconds() - 4 }));
    expect(statusOf(await guard.try(bearer(issuer.token({ exp: seconds() - 6 }))))).toBe(401);
    expect(guard.logged.at(-1)).toMatchObject({ level: "info", reason: "expired" });
    const hour = seconds() + 3600;
    const raw = (exp: string) => JSON.stringify(issuer.claims({ exp: "EXP" })).replace('"EXP"', exp);
    await refused(
      [
        issuer.token({ nbf: hour }),
        issuer.token({ nbf: "0" }),
        issuer.token({ iat: hour }),
        issuer.token({ iat: undefined }),
        issuer.token({ exp: undefined }),
        issuer.token({ exp: String(hour) }),
        issuer.token(raw("1e400")),
        issuer.token(raw("null")),
      ],
      "time",
    );
    await refused([issuer.token({ exp: -1 })], "expired");
  });

  it("must be an access token", async () => {
    const types = ["oauth-id-jag+jwt", "JWT", "dpop+jwt", "logout+jwt", undefined, 1];
    await refused(
      types.map((typ) => issuer.token({}, { typ })),
      "type",
    );
    await accepted(issuer.token({}, { typ: "application/at+jwt" }));
    await accepted(issuer.token({}, { typ: "AT+JWT" }));
  });

  it("may have another type if the issuer is configured so, unless it is an ID token", async () => {
    const loose = protect({
      issuer: [{ issuer: issuer.url, typ: false, audience: RESOURCE }],
      resource: RESOURCE,
      scopes: ["orders:read"],
    });
    for (const typ of ["JWT", undefined, "at+jwt"]) await accepted(issuer.token({}, { typ }), loose);
    await refused([issuer.token({}, { typ: "oauth-id-jag+jwt" })], "type", loose);
    const marks = [{ nonce: "n" }, { at_hash: "h" }];
    await refused(
      marks.map((mark) => issuer.token(mark, { typ: "JWT" })),
      "identity",
      loose,
    );
    await refused([issuer.token({ aud: "web" }, { typ: "JWT" })], "audience", loose);
  });

  it("has no unknown critical headers, no detached payload, no encryption and no token inside", async () => {
    await refused(
      [
        issuer.token({}, { crit: ["x"], x: 1 }),
        issuer.token({}, { crit: ["b64"], b64: false }),
        `${issuer.token()}.x.y`,
        issuer.token(issuer.token(), { cty: "JWT" }),
        issuer.token("[]"),
        issuer.token("null"),
      ],
      "malformed",
    );
  });

  it("cannot be changed", async () => {
    const token = issuer.token();
    const [head = "", , signature = ""] = token.split(".");
    const payload = Buffer.from(JSON.stringify(issuer.claims({ sub: "bob" }))).toString("base64url");
    await refused([`${head}.${payload}.${signature}`, token.slice(0, -8), `${token}AAAA`], "signature");
    await refused([`${token}==`, `${token}=`], "malformed");
    // Another spelling of the same signature.
    let other = token;
    while (!/[-_][^.]*$/.test(other)) other = issuer.token();
    const spelled = other.replace(/[^.]+$/, (part) => part.replaceAll("-", "+").replaceAll("_", "/"));
    await refused([spelled], "malformed");
  });

  it("must not be bound to a key of its owner", async () => {
    const bindings = [{ jkt: "thumbprint" }, { "x5t#S256": "thumbprint" }, {}];
    await refused(
      bindings.map((cnf) => issuer.token({ cnf })),
      "bound",
    );
  });

  it("grants the scopes of its claim, and nothing for a claim of another type", async () => {
    const scopesOf = async (claims: object, scopeClaim?: "scp") => {
      const settings = { issuer: issuer.url, ...(scopeClaim && { scopeClaim }) };
      const outcome = await protect({ issuer: [settings], resource: RESOURCE }).try(bearer(issuer.token(claims)));
      return (outcome as { scopes?: unknown }).scopes;
    };
    expect(await scopesOf({ scope: "a  b a" })).toEqual(["a", "b"]);
    expect(await scopesOf({ scope: ["a", "b c", 1, null, ""] })).toEqual(["a"]);
    for (const scope of [1, null, {}, true, undefined]) expect(await scopesOf({ scope })).toEqual([]);
    expect(await scopesOf({ scope: undefined, scp: "a" })).toEqual([]);
    expect(await scopesOf({ scope: "x", scp: "a b" }, "scp")).toEqual(["a", "b"]);
    expect(await scopesOf({ scp: ["a", "b"] }, "scp")).toEqual(["a", "b"]);
    expect(await scopesOf({ scp: 7 }, "scp")).toEqual([]);
  });

  it("must have a subject, whose text cannot make two principals equal", async () => {
    const bad = [undefined, "", 1, null, ["ada"], "x".repeat(1025), "a\nb", "\u0000", "\u009f"];
    await refused(
      bad.map((sub) => issuer.token({ sub })),
      "subject",
    );
    const idOf = async (claims: object) => ((await guard.try(bearer(issuer.token(claims)))) as { id: string }).id;
    const ids = await Promise.all([
      idOf({ sub: 'ada","web"],', client_id: "x" }),
      idOf({ sub: "ada", client_id: 'web"],"x' }),
      idOf({ sub: "ada", client_id: "web" }),
      idOf({ sub: "ada", client_id: undefined }),
      idOf({ sub: "null", client_id: undefined }),
      idOf({ sub: "ada", client_id: "ada" }),
    ]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("with a broader scope has the scopes that it includes", async () => {
    const includes = { admin: ["orders:write"], "orders:write": ["orders:read"] };
    const wide = protect({ issuer: issuer.url, resource: RESOURCE, scopes: ["orders:read"], includes });
    expect(await wide.try(bearer(issuer.token({ scope: "admin" })))).toMatchObject({
      scopes: ["admin", "orders:write", "orders:read"],
    });
    expect(statusOf(await guard.try(bearer(issuer.token({ scope: "admin" }))))).toBe(403);
  });

  it("without the scopes that every token needs is refused with 403", async () => {
    guard.clock.uptime += 61_000;
    guard.logged.length = 0;
    expect(await guard.try(bearer(issuer.token({ scope: "other" })))).toMatchObject({
      status: 403,
      headers: [
        "www-authenticate",
        expect.stringMatching(/^Bearer error="insufficient_scope", scope="orders:read", resource_metadata="https/),
      ],
    });
    // The scope that the token lacks, and for an audience the one that it has.
    expect(guard.logged).toMatchObject([{ reason: "scope", missing: "orders:read" }]);
    await refused([issuer.token({ aud: "web" })], "audience");
    expect(guard.logged).toMatchObject([{ found: "web" }]);
  });
});

describe("the principal of a token", () => {
  it("has the issuer, the user, the client, the scopes, the claims and the end of the permission", async () => {
    const claims = issuer.claims({ groups: ["a", { b: 1 }] });
    const principal = await guard.try(bearer(issuer.token(claims)));
    expect(principal).toEqual({
      id: JSON.stringify([issuer.url, "ada", "web"]),
      caller: JSON.stringify([issuer.url, "ada"]),
      issuer: issuer.url,
      subject: "ada",
      client: "web",
      scopes: ["orders:read"],
      claims,
      expires: (Number(claims.exp) + 5) * 1000,
    });
    const { groups } = (principal as unknown as { claims: { groups: [string, object] } }).claims;
    for (const part of [principal, claims.scopes, groups, groups[1]]) expect(Object.isFrozen(part)).toBe(true);
  });

  it("is one caller with all clients of a user, and with one client that acts for itself", async () => {
    const callerOf = async (claims: object) => (await guard.try(bearer(issuer.token(claims)))) as { caller?: string };
    expect(await callerOf({ client_id: "other" })).toMatchObject({ caller: JSON.stringify([issuer.url, "ada"]) });
    expect(await callerOf({ sub: "web" })).toMatchObject({ caller: JSON.stringify([issuer.url, null, "web"]) });
  });

  it.each(["azp", "cid", "appid"])("takes the client from %s, too", async (name) => {
    const token = issuer.token({ client_id: undefined, [name]: "web" });
    expect(await guard.try(bearer(token))).toMatchObject({ client: "web" });
  });

  it("may have a client whose id is a URL, which is never fetched", async () => {
    const before = issuer.requests.length;
    const client_id = `${issuer.url}/client.json`;
    expect(await guard.try(bearer(issuer.token({ client_id })))).toMatchObject({ client: client_id });
    expect(issuer.requests).toHaveLength(before);
  });

  it("has no user if the client acts for itself", async () => {
    expect(await guard.try(bearer(issuer.token({ sub: "web" })))).toMatchObject({
      id: JSON.stringify([issuer.url, null, "web"]),
      subject: undefined,
    });
  });

  it("can be changed or refused by the author", async () => {
    const own = protect({
      issuer: issuer.url,
      resource: RESOURCE,
      principal: async ({ sub, tenant }) =>
        tenant === undefined ? undefined : { id: `${tenant}/${sub}`, tenant, scopes: ["all"] },
    });
    expect(await own.try(bearer(issuer.token({ tenant: "acme" })))).toMatchObject({
      id: "acme/ada",
      tenant: "acme",
      scopes: ["all"],
      subject: "ada",
    });
    expect(statusOf(await own.try(bearer(issuer.token())))).toBe(401);
    for (const wrong of [1, { id: 1 }, { id: "" }, { scopes: "all" }]) {
      const broken = protect({ issuer: issuer.url, resource: RESOURCE, principal: () => wrong as never });
      await expect(broken.try(bearer(issuer.token()))).rejects.toThrow(/principal must return/);
    }
  });
});
