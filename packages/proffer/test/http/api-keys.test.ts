import { createHash } from "node:crypto";
import { inspect } from "node:util";
import { registerClient } from "@modelcontextprotocol/sdk/client/auth.js";
import { defineServer, defineTool, type LogEntry } from "proffer";
import { createFetchHandler } from "proffer/fetch";
import {
  type ApiKeysOptions,
  apiKeys,
  type HttpRequest,
  type HttpService,
  type RequestEntry,
  serveHttp,
} from "proffer/http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Headers, legacy, modern, modernHeaders, openSession, post, postModern, send } from "./http-client.ts";

const KEY = `pfr_${"k".repeat(43)}`;
const OTHER = `pfr_${"o".repeat(43)}`;
const EXPIRED = `pfr_${"e".repeat(43)}`;
const WRONG = `pfr_${"k".repeat(42)}j`;

const digestOf = (key: string) => `sha256:${createHash("sha256").update(key).digest("hex")}`;

const keys: ApiKeysOptions["keys"] = {
  [digestOf(KEY)]: { id: "ci", scopes: ["orders:read"], team: "platform" },
  [digestOf(OTHER).toUpperCase().replace("SHA256", "sha256")]: { id: "desk" },
  [digestOf(EXPIRED)]: { id: "old", expires: Date.now() - 1 },
};

const logged: LogEntry[] = [];
const entries: RequestEntry[] = [];
const seen: unknown[] = [];

const server = defineServer({
  name: "keys",
  version: "1",
  log: (entry) => logged.push(entry),
  tools: [
    defineTool({
      name: "whoami",
      handle(_input, ctx) {
        seen.push(ctx.principal);
        return ctx.principal?.id ?? "nobody";
      },
    }),
    defineTool({
      name: "fail",
      handle(_input, ctx) {
        throw new Error("no database", { cause: ctx });
      },
    }),
  ],
});

const whoami = modern("tools/call", { name: "whoami", arguments: {} });
const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });
const options = { log: (entry: RequestEntry) => entries.push(entry) };

let service: HttpService;

beforeEach(async () => {
  logged.length = 0;
  entries.length = 0;
  seen.length = 0;
  service = await serveHttp(
    {
      "/mcp": { server, authenticate: apiKeys({ keys }) },
      "/named": { server, authenticate: apiKeys({ keys, header: "X-API-Key" }) },
    },
    { port: 0, legacySse: true, ...options },
  );
});

afterEach(() => service.close());

function fetchRequest(headers: Headers, query = ""): Request {
  return new Request(`http://localhost/mcp${query}`, {
    method: "POST",
    headers: { ...modernHeaders(whoami), ...headers } as Record<string, string>,
    body: JSON.stringify(whoami),
  });
}

/** Sends a call over Node and through the fetch handler, and returns both answers. */
async function everywhere(headers: Headers, query = "") {
  const { status, headers: answered, json } = await postModern(service.url + query, whoami, headers);
  const handler = createFetchHandler(server, { authenticate: apiKeys({ keys }), ...options });
  const response = await handler(fetchRequest(headers, query));
  await handler.close();
  const node = { status, challenge: answered["www-authenticate"], json };
  const challenge = response.headers.get("www-authenticate") ?? undefined;
  return { node, fetch: { status: response.status, challenge, json: await response.json() } };
}

/** A request as `authenticate` sees it. */
function withHeader(value: string): HttpRequest {
  return { method: "POST", path: "/mcp", query: "", address: undefined, raw: undefined, header: () => value };
}

const INVALID = 'Bearer error="invalid_token", error_description="The API key is not valid"';

describe("apiKeys", () => {
  it("identifies the caller by the key, in both eras and in a header of its own", async () => {
    for (const [headers, id] of [
      [bearer(KEY), "ci"],
      [{ authorization: `bearer ${OTHER}` }, "desk"],
    ] as const) {
      for (const { status, json } of Object.values(await everywhere(headers))) {
        expect({ status, text: json.result?.content[0].text }).toEqual({ status: 200, text: id });
      }
      const session = await openSession(service.url, undefined, headers);
      const { json } = await post(service.url, legacy("tools/call", { name: "whoami", arguments: {} }), session);
      expect(json.result.content[0].text).toBe(id);
    }
    const named = await postModern(service.urls["/named"] as string, whoami, { "x-api-key": KEY });
    expect(named.json.result.content[0].text).toBe("ci");
  });

  it("passes the same frozen principal to each call", async () => {
    await postModern(service.url, whoami, bearer(KEY));
    await postModern(service.url, whoami, bearer(KEY));
    const [first, second] = seen as { id: string; scopes: string[] }[];
    expect(first).toEqual({ id: "ci", scopes: ["orders:read"], team: "platform" });
    expect(second).toBe(first);
    expect([Object.isFrozen(first), Object.isFrozen(first?.scopes)]).toEqual([true, true]);
  });

  it("answers on Node without a promise", () => {
    expect(apiKeys({ keys }).authenticate(withHeader(`Bearer ${KEY}`))).toMatchObject({ id: "ci" });
  });

  it("identifies the caller with Web Crypto", async () => {
    vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
    const protection = apiKeys({ keys });
    vi.restoreAllMocks();
    const handler = createFetchHandler(server, { authenticate: protection });
    const ask = async (key: string) => (await handler(fetchRequest(bearer(key)))).status;
    expect([await ask(KEY), await ask(WRONG), await ask(EXPIRED)]).toEqual([200, 401, 401]);
    await handler.close();
  });

  it("asks for credentials, without an error code, if there are none", async () => {
    for (const headers of [{}, { authorization: "Basic YTpi" }, { authorization: `DPoP ${KEY}` }]) {
      for (const { status, challenge } of Object.values(await everywhere(headers))) {
        expect({ headers, status, challenge }).toEqual({ headers, status: 401, challenge: "Bearer" });
      }
    }
    const named = await send(service.urls["/named"] as string, { headers: bearer(KEY) });
    expect([named.status, named.headers["www-authenticate"]]).toEqual([401, 'ApiKey header="x-api-key"']);
  });

  it("tells the user of a client that looks for OAuth to configure a key", async () => {
    for (const path of ["/register", "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]) {
      const { status, json } = await send(`http://127.0.0.1:${service.port}${path}`, { method: "POST" });
      expect({ path, status, ...(json as object) }).toMatchObject({ path, status: 404, error: "invalid_request" });
      expect(json.error_description).toContain(
        "takes an API key in the header Authorization: Bearer, and has no OAuth",
      );
    }
    const foreign = await send(`http://127.0.0.1:${service.port}/register`, { headers: { host: "evil.example" } });
    expect(JSON.stringify(foreign.json)).not.toContain("API key");
    const other = await send(`http://127.0.0.1:${service.port}/registers`);
    expect(other.json.error).toMatchObject({ message: "Not found. MCP servers are at /mcp, /named." });
  });

  it("shows the same in the error of the official client", async () => {
    const registering = registerClient(`http://127.0.0.1:${service.port}`, { clientMetadata: { redirect_uris: [] } });
    await expect(registering).rejects.toThrow(/^This server takes an API key in the header/);
  });

  it("refuses a wrong key with one constant text, on every route and method", async () => {
    for (const key of [WRONG, EXPIRED, "pfr_short", KEY.slice(4), `${KEY}=`, `pfr_${"k".repeat(300)}`, "a.b.c"]) {
      const { node, fetch } = await everywhere(bearer(key));
      expect(node).toEqual(fetch);
      expect({ key, ...node }).toMatchObject({ key, status: 401, challenge: INVALID });
      expect(node.json.error).toEqual({ code: -32600, message: "Authentication failed." });
    }
    for (const route of service.routes.filter((path) => path.startsWith("/mcp"))) {
      for (const method of ["POST", "GET", "DELETE"]) {
        const { status, headers } = await send(`http://127.0.0.1:${service.port}${route}`, {
          method,
          headers: bearer(WRONG),
        });
        expect({ route, method, status }).toEqual({ route, method, status: 401 });
        expect(headers["www-authenticate"]).toBe(INVALID);
      }
    }
  });

  it("refuses malformed and repeated headers", async () => {
    const challenge = 'Bearer error="invalid_request"';
    const long = `Bearer ${"a".repeat(8186)}`;
    for (const value of ["Bearer", `Bearer  ${KEY}`, `Bearer ${KEY} ${KEY}`, `Bearer ${KEY}, Bearer ${OTHER}`, long]) {
      for (const answer of Object.values(await everywhere({ authorization: value }))) {
        expect({ value, ...answer }).toMatchObject({ value, status: 400, challenge });
      }
    }
    const twice = await send(service.urls["/named"] as string, { headers: { "x-api-key": [KEY, OTHER] } });
    expect([twice.status, twice.headers["www-authenticate"]]).toEqual([400, 'ApiKey error="invalid_request"']);
  });

  it("refuses a key or a token in the query, with or without a valid header", async () => {
    for (const query of [`?access_token=${KEY}`, `?key=${KEY}`, `?a=1&x-api-key=${KEY}`, "?access_token=a.b.c"]) {
      for (const headers of [{}, bearer(KEY)]) {
        for (const { status } of Object.values(await everywhere(headers, query))) {
          expect({ query, status }).toEqual({ query, status: 400 });
        }
      }
    }
    expect(seen).toEqual([]);
  });

  it("never shows a key in a log, an error or the principal", async () => {
    const fail = modern("tools/call", { name: "fail", arguments: {} });
    await postModern(service.url, fail, bearer(KEY));
    await postModern(service.url, whoami, bearer(KEY));
    await postModern(service.url, whoami, bearer(WRONG));
    await postModern(`${service.url}?key=${KEY}`, whoami);
    await post(service.url, "{", bearer(KEY));
    await postModern(service.urls["/named"] as string, fail, { "x-api-key": OTHER });
    let configured: unknown;
    try {
      apiKeys({ keys: { [KEY]: { id: "ci" } } });
    } catch (error) {
      configured = error;
    }
    const all = [logged, entries, seen, configured, apiKeys({ keys })];
    const text = `${JSON.stringify(all)} ${inspect(all, { depth: 10, showHidden: true, maxArrayLength: null })}`;
    expect(logged.length).toBeGreaterThan(1);
    expect(entries).toHaveLength(6);
    expect(text).toContain("no database");
    for (const key of [KEY, OTHER, WRONG]) expect(text).not.toContain(key.slice(4));
  });

  it("computes one digest for every key of the right form, and looks it up", async () => {
    const crypto = process.getBuiltinModule("node:crypto");
    const createHash = vi.fn(crypto.createHash);
    vi.spyOn(process, "getBuiltinModule").mockReturnValue({ createHash } as never);
    const { authenticate } = apiKeys({ keys });
    const digests = (key: string) => {
      createHash.mockClear();
      void authenticate(withHeader(`Bearer ${key}`));
      return createHash.mock.calls.length;
    };
    expect([KEY, OTHER, WRONG, `pfr_${"z".repeat(43)}`].map(digests)).toEqual([1, 1, 1, 1]);
    // Nothing long or of another form is hashed.
    expect([`pfr_${"k".repeat(300)}`, "a.b.c"].map(digests)).toEqual([0, 0]);
    vi.restoreAllMocks();
  });
});

describe("the configuration of apiKeys", () => {
  const digest = digestOf(KEY);
  const wrong = (given: unknown) => () => apiKeys(given as ApiKeysOptions);

  it.each([
    [{ keys: {} }, "keys is empty"],
    [{}, "keys is empty"],
    [{ keys: { [KEY]: { id: "ci" } } }, "a key instead of its digest"],
    [{ keys: { "sha256:abc": { id: "ci" } } }, "64 hexadecimal digits"],
    [{ keys: { [digest]: {} } }, "needs an id"],
    [{ keys: { [digest]: { id: "" } } }, "needs an id"],
    [{ keys: { [digest]: null } }, "needs an id"],
    [{ keys: { [digest]: { id: "ci" }, [digestOf(OTHER)]: { id: "ci" } } }, 'Two keys have the id "ci"'],
    [{ keys: { [digest]: { id: "a" }, [`sha256:${digest.slice(7).toUpperCase()}`]: { id: "b" } } }, "listed twice"],
    [{ keys: { [digest]: { id: "ci", scopes: ["a b"] } } }, 'has "a b"'],
    [{ keys: { [digest]: { id: "ci", scopes: ['a"b'] } } }, "quotes"],
    [{ keys: { [digest]: { id: "ci", scopes: "orders:read" } } }, 'not "orders:read"'],
    [{ keys: { [digest]: { id: "ci", expires: "2030-01-01" } } }, 'not "2030-01-01"'],
    [{ keys: { [digest]: { id: "ci" } }, header: "Authorization" }, 'not "Authorization"'],
    [{ keys: { [digest]: { id: "ci" } }, header: "x api key" }, 'not "x api key"'],
  ])("is checked: %o", (given, message) => {
    expect(wrong(given)).toThrow(expect.objectContaining({ name: "UsageError", message: expect.any(String) }));
    expect(wrong(given)).toThrow(message);
  });
});
