import { defineResource, defineServer, defineTool, type LogEntry, type Middleware } from "proffer";
import { createFetchHandler } from "proffer/fetch";
import { createNodeHandler, type HttpService, serveHttp } from "proffer/http";
import { connect } from "proffer/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stateOf } from "../../src/server/server.ts";
import { legacy, modern, openSession, post, postModern } from "../http/http-client.ts";
import { as, authenticate, type Desk, openDesk } from "./desk.ts";

let desk: Desk;
let service: HttpService;
let seen: string[];

beforeEach(async () => {
  seen = [];
  const middleware: Middleware = (call, next) => {
    seen.push(call.method);
    return next();
  };
  desk = openDesk({ middleware });
  service = await serveHttp(desk.server, { port: 0, authenticate });
});

afterEach(() => service.close());

const READ = { uri: "desk://orders/1" };

/** Every way to use something that needs scopes, and the scopes. */
const USES: readonly (readonly [method: string, params: object, scopes: string])[] = [
  ["tools/call", { name: "find" }, "orders:read"],
  ["tools/call", { name: "cancel", arguments: { id: "1" } }, "orders:read orders:write"],
  ["prompts/get", { name: "letter" }, "letters"],
  ["resources/read", READ, "orders:read"],
  ["resources/read", { uri: "secret://plan" }, "secrets"],
  ["resources/read", { uri: "secret://deep" }, "secrets deep"],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "letter" }, argument: { name: "to", value: "" } },
    "letters",
  ],
  [
    "completion/complete",
    { ref: { type: "ref/resource", uri: "desk://orders/{id}{?raw}" }, argument: { name: "id", value: "" } },
    "orders:read",
  ],
];
const SUBSCRIBE = ["resources/subscribe", READ, "orders:read"] as const;
const LISTEN = [
  "subscriptions/listen",
  { notifications: { resourceSubscriptions: ["desk://hours", READ.uri, "secret://plan"] } },
  "orders:read secrets",
] as const;

describe("a request without its scopes", () => {
  it.each([...USES, LISTEN])("is challenged on the newest revision: %s %j", async (method, params, scopes) => {
    const { status, headers, json } = await postModern(service.url, modern(method, params), as("ada", "other"));
    expect(status).toBe(403);
    expect(headers["www-authenticate"]).toBe(`Bearer error="insufficient_scope", scope="${scopes}"`);
    expect(json).toMatchObject({ id: 1, error: { code: -31001, data: { scopes: scopes.split(" ") } } });
    expect({ runs: desk.runs, seen }).toEqual({ runs: [], seen: [] });
  });

  it.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])("is challenged on %s", async (version) => {
    const session = await openSession(service.url, version, as("ada", "other"));
    seen.length = 0;
    for (const [method, params, scopes] of [...USES, SUBSCRIBE]) {
      const { status, headers, json } = await post(service.url, legacy(method, params), session);
      expect({ method, status, code: json.error.code }).toEqual({ method, status: 403, code: -31001 });
      expect(headers["www-authenticate"]).toBe(`Bearer error="insufficient_scope", scope="${scopes}"`);
    }
    expect({ runs: desk.runs, seen }).toEqual({ runs: [], seen: [] });
  });

  it("asks older clients also for the scopes that they have, because they replace them", async () => {
    const session = await openSession(service.url, "2025-11-25", as("ada", "orders:read", "elsewhere"));
    const { headers } = await post(service.url, legacy("tools/call", { name: "confirm" }), session);
    expect(headers["www-authenticate"]).toContain('scope="orders:read orders:write"');
  });

  it("is served with them", async () => {
    const granted = as("ada", "orders:read", "orders:write", "letters", "secrets", "deep");
    for (const [method, params] of USES) {
      expect({ method, status: (await postModern(service.url, modern(method, params), granted)).status }).toEqual({
        method,
        status: 200,
      });
    }
  });

  it("gets an error without the challenge over the SSE pair, where every POST has the same status", async () => {
    const handler = createFetchHandler(openDesk().server, { authenticate, legacySse: true });
    const stream = await handler(new Request("http://localhost/sse", { headers: as("ada") as Record<string, string> }));
    const reader = (stream.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    const [, path] = /data: (.*)/.exec((await reader.read()).value ?? "") ?? [];
    const body = JSON.stringify(legacy("tools/call", { name: "find" }));
    const headers = { ...as("ada"), "content-type": "application/json" } as Record<string, string>;
    await handler(new Request(`http://localhost/${path}`, { method: "POST", headers, body }));
    expect((await reader.read()).value).toContain('"code":-31001');
    await reader.cancel();
    await handler.close();
  });
});

describe("a batch", () => {
  const batch = (...names: string[]) => names.map((name, id) => legacy("tools/call", { name }, id));

  it("runs nothing if one of its requests lacks scopes", async () => {
    const session = await openSession(service.url, "2025-03-26", as("ada", "orders:read"));
    const { status, headers, json } = await post(service.url, batch("hours", "find", "confirm"), session);
    expect(status).toBe(403);
    expect(headers["www-authenticate"]).toContain('scope="orders:read orders:write"');
    expect(json.error.code).toBe(-31001);
    expect(desk.runs).toEqual([]);
  });

  it("runs if all of them have their scopes", async () => {
    const session = await openSession(service.url, "2025-03-26", as("ada", "orders:read"));
    expect((await post(service.url, batch("hours", "find"), session)).status).toBe(200);
    expect(desk.runs).toEqual(["hours", "find"]);
  });
});

describe("an argument with scopes of its own", () => {
  const granted = as("ada", "orders:read", "orders:write", "letters");
  const needsAdmin = async (method: string, params: object, scope: string) => {
    const { status, headers } = await postModern(service.url, modern(method, params), granted);
    expect({ params, status }).toEqual({ params, status: 403 });
    expect(headers["www-authenticate"]).toContain(`scope="${scope}"`);
  };

  it.each([null, false, true, "no", {}])("needs them, whatever its value: %j", async (force) => {
    const scopes = "orders:read orders:write orders:admin";
    await needsAdmin("tools/call", { name: "cancel", arguments: { force } }, scopes);
    expect(desk.runs).toEqual([]);
  });

  it("needs them in a prompt, in a URI and in a completion", async () => {
    await needsAdmin("prompts/get", { name: "letter", arguments: { signature: "x" } }, "letters letters:sign");
    const ref = { type: "ref/prompt", name: "letter" };
    await needsAdmin(
      "completion/complete",
      { ref, argument: { name: "signature", value: "" } },
      "letters letters:sign",
    );
    for (const query of ["raw=", "raw=1", "raw=1&raw=2"]) {
      await needsAdmin("resources/read", { uri: `desk://orders/1?${query}` }, "orders:read orders:admin");
    }
    expect(desk.runs).toEqual([]);
  });

  it.each(["__proto__", "constructor"])("is not given by %s", async (key) => {
    const text = `{"name":"cancel","arguments":{"${key}":{"force":true}}}`;
    const message = modern("tools/call", JSON.parse(text));
    expect((await postModern(service.url, message, granted)).status).not.toBe(403);
  });

  it("cannot be added in a later round", async () => {
    const first = await postModern(
      service.url,
      modern("tools/call", { name: "confirm", arguments: {} }, { elicitation: { form: {} } }),
      granted,
    );
    const { requestState } = first.json.result;
    const params = { name: "confirm", arguments: { force: true }, requestState, inputResponses: {} };
    const second = await postModern(service.url, modern("tools/call", params), granted);
    expect(second.json.error.code).toBe(-32602);
  });

  it("must exist", () => {
    const define = () => defineTool({ name: "t", paramScopes: { forse: ["admin"] }, handle: () => "" });
    expect(define).toThrow('Tool "t": paramScopes has "forse", which is none of its arguments');
  });
});

describe("a question", () => {
  const capabilities = { elicitation: { form: {} } };
  const may = as("ada", "orders:write");

  it("is not used up by an answer whose token has lost a scope", async () => {
    const first = await postModern(service.url, modern("tools/call", { name: "confirm" }, capabilities), may);
    const { requestState, inputRequests } = first.json.result;
    const [key] = Object.keys(inputRequests) as [string];
    const inputResponses = { [key]: { action: "accept", content: { sure: true } } };
    const answer = modern("tools/call", { name: "confirm", requestState, inputResponses }, capabilities);
    expect((await postModern(service.url, answer, as("ada", "orders:read"))).status).toBe(403);
    expect(desk.runs).toEqual([]);
    expect((await postModern(service.url, answer, may)).status).toBe(200);
    expect(desk.runs).toEqual(["confirm accept"]);
  });
});

describe("ctx.require", () => {
  it("challenges a caller without the scopes", async () => {
    const refund = modern("tools/call", { name: "refund" });
    const { status, headers } = await postModern(service.url, refund, as("ada"));
    expect(status).toBe(403);
    expect(headers["www-authenticate"]).toContain('scope="orders:refund"');
    expect((await postModern(service.url, refund, as("ada", "orders:refund"))).status).toBe(200);
    expect(desk.runs).toEqual(["refund"]);
  });
});

describe("ctx.require after progress", () => {
  it.each([true, false])("is an error without a challenge, explained during development: %s", async (development) => {
    const entries: LogEntry[] = [];
    const server = defineServer({
      name: "late",
      version: "1",
      log: (entry) => entries.push(entry),
      tools: [
        defineTool({
          name: "refund",
          handle: (_, ctx) => {
            ctx.progress(1);
            ctx.require("orders:refund");
          },
        }),
      ],
    });
    stateOf(server).overrides = { development };
    const open = await serveHttp(server, { port: 0, authenticate });
    const message = modern("tools/call", { name: "refund", _meta: { progressToken: 1 } });
    const { status, headers, body } = await postModern(open.url, message, as("ada"));
    expect({ status, challenge: headers["www-authenticate"] }).toEqual({ status: 200, challenge: undefined });
    expect(body).toContain('"code":-31001');
    expect(entries.map(({ message }) => message.split(" ")[0])).toEqual(development ? ["ctx.require()"] : []);
    await open.close();
  });
});

describe("a server with scopes and nobody to ask", () => {
  it("is refused at start over HTTP", async () => {
    const { server } = openDesk();
    const reason = 'the tool "find" needs scopes, but nobody is asked who they are. Set authenticate';
    await expect(serveHttp(server, { port: 0 })).rejects.toThrow(reason);
    expect(() => createNodeHandler(server)).toThrow(reason);
    expect(() => createFetchHandler(server)).toThrow(reason);
  });

  it("refuses an item that gets scopes while it runs", async () => {
    const server = defineServer({ name: "a", version: "1", tools: [] });
    const handler = createFetchHandler(server);
    server.tools.add(defineTool({ name: "late", scopes: ["x"], handle: () => "ran" }));
    const message = modern("tools/call", { name: "late" });
    const headers = { "mcp-method": "tools/call", "mcp-name": "late", "mcp-protocol-version": "2026-07-28" };
    const response = await handler(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(message),
      }),
    );
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe('Bearer scope="x"');
    await handler.close();
  });

  it("is served to a local client, unless its principal has scopes", async () => {
    const local = await connect(openDesk().server);
    expect((await local.call("find")).content).toEqual([{ type: "text", text: "find" }]);
    await local.close();
    const limited = await connect(openDesk().server, { principal: { id: "ada", scopes: ["orders:write"] } });
    await expect(limited.call("find")).rejects.toMatchObject({ code: -31001, data: { scopes: ["orders:read"] } });
    await limited.close();
  });
});

describe("the principal of a hook", () => {
  it.each(["orders:read", "orders:reading", undefined, null, { includes: () => true }])(
    "grants nothing with scopes that are no list: %j",
    async (scopes) => {
      const hook = () => ({ id: "ada", scopes }) as never;
      const open = await serveHttp(openDesk().server, { port: 0, authenticate: hook });
      expect((await postModern(open.url, modern("tools/call", { name: "find" }))).status).toBe(403);
      await open.close();
    },
  );
});

describe("scopes", () => {
  it.each(["", "a b", 'a"b', "a\\b", "é", 1])("cannot be %j", (scope) => {
    const define = () => defineTool({ name: "t", scopes: [scope as string], handle: () => "" });
    expect(define).toThrow('Tool "t": scopes has');
  });

  it("make a fixed resource private to its caller", async () => {
    const server = defineServer({
      name: "a",
      version: "1",
      cache: { cacheScope: "public", ttlMs: 1000 },
      resources: [defineResource({ uri: "a://b", name: "B", scopes: ["b"], content: "b" })],
    });
    const open = await serveHttp(server, { port: 0, authenticate });
    const { json } = await postModern(open.url, modern("resources/read", { uri: "a://b" }), as("ada", "b"));
    expect(json.result.cacheScope).toBe("private");
    await open.close();
  });
});
