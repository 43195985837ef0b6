import { defineServer, defineTool } from "proffer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modern, postModern, send } from "../http/http-client.ts";
import { AuthorizationServer, REDIRECT } from "./authorization-server.ts";
import { openSite, type Site } from "./site.ts";

// The checks that pull request 155 of modelcontextprotocol/conformance proposes for servers, in its order.
// The published suites have no scenario for a protected server.

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

let issuer: AuthorizationServer;
let site: Site;
let document: { resource: string; authorization_servers: string[]; scopes_supported: string[] };

beforeAll(async () => {
  issuer = await AuthorizationServer.open();
  const who = defineTool({ name: "who", handle: (_, ctx) => String(ctx.principal?.subject) });
  const server = defineServer({ name: "s", version: "1", tools: [who], log() {} });
  site = await openSite(server, issuer.issuer, ["orders:read"]);
  ({ json: document } = await send(new URL(`${WELL_KNOWN}/mcp`, site.url).href));
});
afterAll(async () => {
  await site.close();
  await issuer.close();
});

const call = modern("tools/call", { name: "who", arguments: {} });

describe("the checklist for protected servers", () => {
  it("has metadata at the path or at the root", async () => {
    expect(document).toBeDefined();
    expect((await send(new URL(WELL_KNOWN, site.url).href)).json).toEqual(document);
  });

  it("has metadata whose resource is the URL of the server", () => {
    expect(document.resource).toBe(site.url);
  });

  it("names authorization servers that can be reached and support PKCE with S256", async () => {
    expect(document.authorization_servers.length).toBeGreaterThan(0);
    for (const each of document.authorization_servers) {
      const { status, json } = await send(`${each}/.well-known/oauth-authorization-server`);
      expect(status).toBe(200);
      expect(json).toMatchObject({ issuer: each, code_challenge_methods_supported: ["S256"] });
      expect(json.registration_endpoint).toBeDefined();
    }
  });

  it("answers a request without a token with 401 and a well-formed challenge", async () => {
    const { status, headers } = await postModern(site.url, call);
    expect(status).toBe(401);
    const url = new URL(`${WELL_KNOWN}/mcp`, site.url).href;
    expect(headers["www-authenticate"]).toBe(`Bearer scope="orders:read", resource_metadata="${url}"`);
  });

  it("answers an invalid token with 401", async () => {
    const { status, headers } = await postModern(site.url, call, { authorization: "Bearer invalid" });
    expect(status).toBe(401);
    expect(headers["www-authenticate"]).toContain('error="invalid_token"');
  });

  it("serves a client that registers itself and goes through the whole flow", async () => {
    const registration = await fetch(`${issuer.issuer}/reg`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ redirect_uris: [REDIRECT], token_endpoint_auth_method: "none" }),
    });
    const { client_id } = (await registration.json()) as { client_id: string };
    const tokens = await issuer.login("ada", document.resource, client_id, document.scopes_supported.join(" "));
    const { status, json } = await postModern(site.url, call, { authorization: `Bearer ${tokens.access_token}` });
    expect({ status, text: json.result.content[0].text }).toEqual({ status: 200, text: "ada" });
  });
});
