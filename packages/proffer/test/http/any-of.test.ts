import { createHash } from "node:crypto";
import { defineServer, defineTool, RpcError } from "proffer";
import {
  anyOf,
  apiKeys,
  forbidden,
  type HttpService,
  type ProtectedServer,
  type Protection,
  serveHttp,
  unauthorized,
} from "proffer/http";
import { oauth } from "proffer/oauth";
import { afterEach, describe, expect, it } from "vitest";
import { type Headers, modern, postModern, send } from "./http-client.ts";

const KEY = `pfr_${"k".repeat(43)}`;
const WRONG = `pfr_${"w".repeat(43)}`;
const digest = `sha256:${createHash("sha256").update(KEY).digest("hex")}`;
const keys = apiKeys({ keys: { [digest]: { id: "ci" } } });
const named = apiKeys({ keys: { [digest]: { id: "ci" } }, header: "x-api-key" });

const METADATA = "/.well-known/oauth-protected-resource/mcp";
const where = { scope: "orders:read", resource_metadata: `https://example.com${METADATA}` };
const ASK = `Bearer scope="orders:read", resource_metadata="https://example.com${METADATA}"`;

let asked: string[];

/** A protection like `oauth()`: it accepts the token "a.b.c", and has metadata. */
function tokens(): Protection {
  return {
    metadata: { path: METADATA, json: '{"resource":"https://example.com/mcp"}' },
    authenticate(request) {
      const value = request.header("authorization");
      asked.push(String(value));
      if (value === undefined) return unauthorized(where);
      return value === "Bearer a.b.c" ? { id: "ada" } : unauthorized({ ...where, error: "invalid_token" });
    },
    challenge(scopes, principal) {
      const challenge = { ...where, scope: ["orders:read", ...scopes].join(" ") };
      return principal === undefined
        ? unauthorized(challenge)
        : forbidden({ ...challenge, error: "insufficient_scope", error_description: "from tokens" });
    },
  };
}

const server = defineServer({
  name: "any",
  version: "1",
  log: () => {},
  tools: [
    defineTool({ name: "whoami", handle: (_input, ctx) => ctx.principal?.id ?? "nobody" }),
    defineTool({
      name: "cancel",
      handle() {
        throw new RpcError("insufficient_scope", "No.", { data: { scopes: ["orders:write"] } });
      },
    }),
  ],
});

let service: HttpService;

async function serve(authenticate: Protection): Promise<void> {
  asked = [];
  service = await serveHttp(server, { port: 0, authenticate });
}

afterEach(() => service?.close());

async function call(headers: Headers, query = "", name = "whoami") {
  const answer = await postModern(service.url + query, modern("tools/call", { name, arguments: {} }), headers);
  const { status, json } = answer;
  return { status, challenge: answer.headers["www-authenticate"], who: json.result?.content[0].text };
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

describe("anyOf", () => {
  it("lets the first that recognizes the kind of credentials decide, and asks no other", async () => {
    await serve(anyOf(keys, tokens()));
    expect(await call(bearer(KEY))).toMatchObject({ status: 200, who: "ci" });
    // A refused key is not tried as a token, and a malformed one is not passed on.
    expect(await call(bearer(WRONG))).toMatchObject({ status: 401 });
    expect((await call(bearer(`${KEY} a.b.c`))).status).toBe(400);
    expect((await call({}, `?token=${KEY}`)).status).toBe(400);
    expect(asked).toEqual([]);
    expect(await call(bearer("a.b.c"))).toMatchObject({ status: 200, who: "ada" });
    // A token that is no key, and a refused token.
    expect(await call(bearer("x.y.z"))).toMatchObject({ status: 401 });
    expect(asked).toEqual(["Bearer a.b.c", "Bearer x.y.z"]);
  });

  it("decides once if there are two credentials", async () => {
    await serve(anyOf(named, tokens()));
    expect(await call({ "x-api-key": WRONG, ...bearer("a.b.c") })).toMatchObject({ status: 401 });
    expect(await call({ "x-api-key": KEY, ...bearer("x.y.z") })).toMatchObject({ status: 200, who: "ci" });
    expect(asked).toEqual([]);
  });

  it("decides between keys and OAuth without a request to the issuer", async () => {
    const resource = "https://example.com/mcp";
    await serve(anyOf(keys, oauth({ issuer: "https://login.example.com", resource, scopes: ["orders:read"] })));
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const token = `${part({ alg: "ES256", typ: "at+jwt" })}.${part({ iss: "https://evil.example.com" })}.c2ln`;
    const invalid = `Bearer error="invalid_token", ${ASK.slice("Bearer ".length)}, error_description=`;
    expect(await call(bearer(KEY))).toMatchObject({ status: 200, who: "ci" });
    expect(await call({})).toMatchObject({ status: 401, challenge: ASK });
    expect(await call(bearer(WRONG))).toMatchObject({ status: 401, challenge: `${invalid}"The API key is not valid"` });
    const refused = { status: 401, challenge: `${invalid}"The access token is not valid here"` };
    expect(await call(bearer(token))).toMatchObject(refused);
    // A key inside a token, and a token after a key.
    expect(await call(bearer(`${token.slice(0, -4)}${KEY}`))).toMatchObject(refused);
    expect(await call(bearer(`${KEY}.${token}`))).toMatchObject({ status: 401 });
    expect((await send(`http://127.0.0.1:${service.port}${METADATA}`)).json).toMatchObject({ resource });
  });

  it("joins the challenges of all into one, which begins with Bearer", async () => {
    const invalid = `Bearer error="invalid_token", scope="orders:read", resource_metadata="${where.resource_metadata}"`;
    await serve(anyOf(keys, tokens()));
    expect((await call({})).challenge).toBe(ASK);
    expect((await call(bearer("x.y.z"))).challenge).toBe(invalid);
    const described = `${invalid}, error_description="The API key is not valid"`;
    expect((await call(bearer(WRONG))).challenge).toBe(described);
    await service.close();
    await serve(anyOf(named, tokens()));
    expect((await call({})).challenge).toBe(ASK);
    expect((await call({ "x-api-key": WRONG })).challenge).toBe(described);
    await service.close();
    await serve(anyOf(named, () => unauthorized({ realm: "x" }, "Basic")));
    expect((await call({})).challenge).toBe('Basic realm="x"');
  });

  it("answers a lack of scopes as the protection that identified the caller", async () => {
    await serve(anyOf(keys, tokens()));
    expect(await call(bearer("a.b.c"), "", "cancel")).toMatchObject({
      status: 403,
      challenge: expect.stringContaining('error_description="from tokens"'),
    });
    expect(await call(bearer(KEY), "", "cancel")).toMatchObject({
      status: 403,
      challenge: 'Bearer error="insufficient_scope", scope="orders:write"',
    });
    await service.close();
    await serve(anyOf(keys, { ...tokens(), authenticate: async () => undefined }));
    expect(await call({}, "", "cancel")).toMatchObject({
      status: 401,
      challenge: `Bearer scope="orders:read orders:write", resource_metadata="${where.resource_metadata}"`,
    });
  });

  it("serves the metadata of the one that has it, and attaches all", async () => {
    const attached: ProtectedServer[] = [];
    const attach = (to: ProtectedServer) => void attached.push(to);
    await serve(anyOf({ ...keys, attach }, anyOf({ ...named, attach }, { ...tokens(), attach })));
    expect(attached.map(({ path }) => path)).toEqual(["/mcp", "/mcp", "/mcp"]);
    const { status, json } = await send(`http://127.0.0.1:${service.port}${METADATA}`);
    expect([status, json]).toEqual([200, { resource: "https://example.com/mcp" }]);
    expect(await call({ "x-api-key": KEY })).toMatchObject({ status: 200, who: "ci" });
    expect((await send(`http://127.0.0.1:${service.port}/register`)).json).not.toHaveProperty("error_description");
  });

  it("says that there is no OAuth, if all take keys", async () => {
    await serve(anyOf(keys, named));
    const { json } = await send(`http://127.0.0.1:${service.port}/register`);
    expect(json.error_description).toContain("and has no OAuth");
  });

  it("accepts functions, also asynchronous ones", async () => {
    await serve(anyOf(keys, async (request) => (request.header("x-user") ? { id: "eve" } : undefined)));
    expect(await call({ "x-user": "1" })).toMatchObject({ status: 200, who: "eve" });
    expect(await call({})).toMatchObject({ status: 200, who: "nobody" });
    expect(await call(bearer(KEY))).toMatchObject({ status: 200, who: "ci" });
    expect(await call({ "x-user": "1", ...bearer(WRONG) })).toMatchObject({ status: 401 });
  });

  it("refuses a combination in which one could never be asked, or with two documents", () => {
    expect(() => anyOf()).toThrow("at least one");
    expect(() => anyOf(() => undefined, keys)).toThrow("position 1 accepts any kind of credentials");
    expect(() => anyOf(keys, tokens(), named)).toThrow("position 2 accepts any kind");
    expect(() => anyOf(anyOf(keys, tokens()), named)).toThrow("position 1");
    const other = { ...tokens(), recognizes: () => true };
    expect(() => anyOf(other, tokens())).toThrow("Two protections have metadata");
  });
});
