import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extractWWWAuthenticateParams as parse2 } from "@modelcontextprotocol/client";
import { extractWWWAuthenticateParams as parse1 } from "@modelcontextprotocol/sdk/client/auth.js";
import { defineServer, defineTool } from "proffer";
import { createFetchHandler } from "proffer/fetch";
import { createNodeHandler, type HttpError, type HttpService, serveHttp } from "proffer/http";
import { oauth } from "proffer/oauth";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { modern, post, postModern, send, sendRaw } from "../http/http-client.ts";
import { openWorkshop } from "../http/workshop.ts";
import { FakeIssuer, RESOURCE } from "./fake-issuer.ts";
import { bearer, protect, requestOf } from "./protect.ts";

const ROOT = "/.well-known/oauth-protected-resource";
const { server } = openWorkshop();
const services: HttpService[] = [];

let issuer: FakeIssuer;
beforeAll(async () => {
  issuer = await FakeIssuer.open();
});
afterAll(() => issuer.close());
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});

const options = (path = "/mcp") => ({ issuer: issuer.url, resource: `https://tools.example.com${path}` });

async function serve(...values: Parameters<typeof serveHttp>): Promise<string> {
  const service = await serveHttp(values[0], { port: 0, ...values[1] });
  services.push(service);
  return new URL(service.url).origin;
}

describe("the metadata of a protected server", () => {
  it("is at its well-known path and at the root, for everyone", async () => {
    const metadata = { resource_name: "Orders" };
    const site = await serve(server, { authenticate: oauth({ ...options(), scopes: ["orders:read"], metadata }) });
    for (const path of [ROOT, `${ROOT}/mcp`]) {
      const { status, headers, json } = await send(site + path);
      expect({ status, json }).toEqual({
        status: 200,
        json: {
          resource: RESOURCE,
          authorization_servers: [issuer.url],
          scopes_supported: ["orders:read"],
          bearer_methods_supported: ["header"],
          resource_name: "Orders",
        },
      });
      expect(headers).toMatchObject({
        "content-type": "application/json",
        "cache-control": "public, max-age=300",
        "access-control-allow-origin": "*",
      });
      const head = await send(site + path, { method: "HEAD" });
      expect({ status: head.status, body: head.body }).toEqual({ status: 200, body: "" });
      expect((await send(site + path, { method: "OPTIONS" })).status).toBe(204);
    }
  });

  it("is only at those paths, never asks for a token, and is never another server's", async () => {
    const [a, b] = ["/a/mcp", "/b/mcp"].map((path) => ({ server, authenticate: oauth(options(path)) }));
    const site = await serve({ "/a/mcp": a, "/b/mcp": b, "/open": server } as never);
    for (const path of ["/a/mcp", "/b/mcp"]) {
      const { json } = await send(site + ROOT + path);
      expect(json.resource).toBe(`https://tools.example.com${path}`);
      for (const method of ["POST", "PUT", "DELETE"]) {
        const { status, headers } = await send(site + ROOT + path, { method });
        expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: "GET, HEAD, OPTIONS" });
      }
    }
    const { port } = new URL(site);
    const others = ["", "/", "/open", "/a", "/a/mcp/", "/a%2Fmcp", "//a/mcp", "/b/../a/mcp", "/A/mcp"];
    for (const path of [
      ...others.map((each) => ROOT + each),
      "/.well-known/oauth-authorization-server",
      "/.well-known/x",
    ]) {
      const answer = await sendRaw(
        Number(port),
        `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
      );
      expect([path, answer.slice(0, 12)]).toEqual([path, "HTTP/1.1 404"]);
      expect(answer).toContain("application/json");
      expect(answer.toLowerCase()).not.toContain("www-authenticate");
    }
    expect((await send(`${site}${ROOT}/a/mcp?x=1`)).json.resource).toBe("https://tools.example.com/a/mcp");
  });

  it("can be read by a page of any origin, but the server cannot", async () => {
    const site = await serve(server, { authenticate: oauth(options()) });
    const headers = { origin: "https://evil.example.com" };
    const answer = await send(site + ROOT, { headers });
    expect(answer).toMatchObject({ status: 200, headers: { "access-control-allow-origin": "*" } });
    expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
    expect((await post(`${site}/mcp`, modern("tools/list"), headers)).status).toBe(403);
  });

  it("is also answered by handlers, if the framework routes its path to them", async () => {
    const handler = createNodeHandler(server, { authenticate: oauth(options()) });
    const web = createFetchHandler(server, { authenticate: oauth(options()) });
    const site = createServer(handler);
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    for (const path of [ROOT, `${ROOT}/mcp`]) {
      expect((await send(origin + path)).json.resource).toBe(RESOURCE);
      const answer = await web(new Request(`http://localhost${path}`));
      expect((await answer.json()) as object).toMatchObject({ resource: RESOURCE });
    }
    expect((await send(`${origin}${ROOT}/other`)).status).toBe(404);
    site.close();
    await Promise.all([handler.close(), web.close()]);
  });

  it("is at the path of the server and at the path that clients see behind a proxy", async () => {
    const site = await serve(server, { authenticate: oauth(options("/tools/mcp")) });
    for (const path of ["/tools/mcp", "/mcp"]) {
      expect((await send(site + ROOT + path)).json.resource).toBe("https://tools.example.com/tools/mcp");
    }
    const { headers } = await post(`${site}/mcp`, {});
    expect(headers["www-authenticate"]).toBe(`Bearer resource_metadata="https://tools.example.com${ROOT}/tools/mcp"`);
  });

  it("contains nothing of the request, nor does a challenge", async () => {
    const site = await serve(server, { authenticate: oauth(options()), allowedHosts: ["tools.example.com"] });
    const forwarded = { "x-forwarded-host": "evil.example.com", "x-forwarded-proto": "gopher" };
    for (const headers of [forwarded, { forwarded: "host=evil.example.com" }]) {
      const answers = [await send(site + ROOT, { headers }), await post(`${site}/mcp`, {}, headers)];
      expect(answers.map(({ status }) => status)).toEqual([200, 401]);
      expect(JSON.stringify(answers)).not.toMatch(/evil|gopher/);
    }
    for (const path of [ROOT, "/mcp"]) {
      const { status, body } = await send(site + path, { headers: { host: "evil.example.com" } });
      expect({ status, leaks: body.includes("tools.example.com/mcp") }).toEqual({ status: 403, leaks: false });
    }
  });
});

describe("a challenge", () => {
  it("is one line that official parsers read back, whatever a tool or scope is called", () => {
    const { protection } = protect({ ...options(), scopes: ["a:read"] });
    const scopes = ['x"y', "a\\b", "c\r\nevil: 1", "d scope=admin", "e"];
    const error = protection.challenge?.(scopes, { id: "ada" });
    const header = error?.headers[1] ?? "";
    expect(error).toMatchObject({ status: 403 });
    expect(header).toMatch(/^[\x20-\x7e]+$/);
    const response = new Response(null, { status: 403, headers: { "www-authenticate": header } });
    for (const parse of [parse1, parse2]) {
      expect(parse(response)).toMatchObject({
        error: "insufficient_scope",
        scope: "xy ab cevil: 1 d scope=admin e",
        resourceMetadataUrl: new URL(`https://tools.example.com${ROOT}/mcp`),
      });
    }
  });

  it("is 401 without an error for an anonymous caller, and 403 for another one", () => {
    const { protection } = protect(options());
    expect(protection.challenge?.(["a", "b"], undefined)).toMatchObject({
      status: 401,
      headers: ["www-authenticate", `Bearer scope="a b", resource_metadata="https://tools.example.com${ROOT}/mcp"`],
    });
    expect(protection.challenge?.(["a", "b"], { id: "ada" })).toMatchObject({
      status: 403,
      headers: [
        "www-authenticate",
        `Bearer error="insufficient_scope", scope="a b", resource_metadata="https://tools.example.com${ROOT}/mcp", error_description="This needs a b"`,
      ],
    });
  });

  it("asks for every scope of the server if `ask` is all", () => {
    const { protection } = protect({ ...options(), scopes: ["a"], ask: "all" });
    let scopes = ["b", "a"];
    protection.attach?.({
      where: "",
      path: "/mcp",
      scopes: () => scopes,
      log() {},
      report() {},
      addReadinessCheck() {},
    });
    const challenge = () => (protection.authenticate(requestOf()) as HttpError).headers[1];
    expect(challenge()).toContain('scope="a b"');
    scopes = ["c"];
    expect(challenge()).toContain('scope="a c"');
    expect(JSON.parse(protection.metadata?.json ?? "")).toMatchObject({ scopes_supported: ["a", "c"] });
  });

  it("contains nothing of the token, and not the reason", async () => {
    const site = await serve(server, { authenticate: oauth({ ...options(), scopes: ["s"] }) });
    const marks = { sub: "mark-sub", client_id: "mark-client", jti: "mark-jti", scope: "mark-scope" };
    const tokens = [{ aud: "mark-aud" }, { exp: 1 }, { iss: "https://mark-iss" }, {}].map((change) =>
      issuer.token({ ...marks, ...change }),
    );
    for (const token of tokens) {
      const answer = await postModern(`${site}/mcp`, modern("tools/list"), { authorization: bearer(token) });
      expect([401, 403]).toContain(answer.status);
      const text = JSON.stringify(answer);
      for (const part of ["mark", "expired", "audience", ...token.split(".")]) expect(text).not.toContain(part);
    }
  });

  it("of a tool asks an anonymous caller for its scopes, and public tools need none", async () => {
    const refund = defineTool({ name: "refund", scopes: ["orders:write"], handle: () => "done" });
    const hello = defineTool({ name: "hello", handle: () => "Hello!" });
    const mixed = defineServer({ name: "s", version: "1", tools: [hello, refund], log() {} });
    const site = await serve(mixed, { authenticate: oauth({ ...options(), anonymous: true }) });
    const call = (name: string, headers = {}) =>
      postModern(`${site}/mcp`, modern("tools/call", { name, arguments: {} }), headers);
    expect((await postModern(`${site}/mcp`, modern("tools/list"))).status).toBe(200);
    expect((await call("hello")).status).toBe(200);
    const refused = await call("refund");
    expect(refused.status).toBe(401);
    expect(refused.headers["www-authenticate"]).toMatch(/^Bearer scope="orders:write", resource_metadata=/);
    expect((await call("refund", { authorization: bearer(issuer.token()) })).status).toBe(403);
  });
});
