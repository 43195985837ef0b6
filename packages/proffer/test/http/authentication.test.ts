import { inspect } from "node:util";
import { defineResource, defineServer, defineTool } from "proffer";
import { type HttpService, type RequestEntry, serveHttp, unauthorized } from "proffer/http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEvents } from "./event-client.ts";
import { type Headers, legacy, modern, modernHeaders, openSession, post, postModern, send } from "./http-client.ts";
import { openWorkshop, type Workshop } from "./workshop.ts";

let workshop: Workshop;
let service: HttpService;
let url: string;
let entries: RequestEntry[];

beforeEach(async () => {
  workshop = openWorkshop();
  entries = [];
  service = await serveHttp(workshop.server, {
    port: 0,
    legacySse: true,
    log: (entry) => entries.push(entry),
    async authenticate(request) {
      const [scheme, token] = (request.header("authorization") ?? "").split(" ");
      if (scheme !== "Bearer")
        return unauthorized({ resource_metadata: "https://example.com/x", scope: 'a"b\r\nevil: 1' });
      if (token === "broken") throw new Error("password=hunter2");
      return token === "anyone" ? undefined : { id: String(token) };
    },
  });
  url = service.url;
});

afterEach(async () => {
  workshop.release();
  await service.close();
});

const as = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const whoami = modern("tools/call", { name: "whoami", arguments: {} });

describe("authenticate", () => {
  it("identifies the caller, in both eras", async () => {
    expect((await postModern(url, whoami, as("ada"))).json.result.content[0].text).toBe("ada");
    expect((await postModern(url, whoami, as("anyone"))).json.result.content[0].text).toBe("nobody");
    const session = await openSession(url, undefined, as("bob"));
    const { json } = await post(url, legacy("tools/call", { name: "whoami", arguments: {} }), session);
    expect(json.result.content[0].text).toBe("bob");
  });

  it("rejects with a challenge that drops unsafe characters from its parameters", async () => {
    for (const route of service.routes) {
      for (const method of ["POST", "GET", "DELETE"]) {
        const { status, headers } = await send(`http://127.0.0.1:${service.port}${route}`, { method });
        expect({ route, status }).toEqual({ route, status: 401 });
        expect(headers["www-authenticate"]).toBe('Bearer scope="abevil: 1", resource_metadata="https://example.com/x"');
        expect(headers.evil).toBeUndefined();
      }
    }
  });

  it("hides the reason when it throws", async () => {
    const { status, body } = await postModern(url, whoami, as("broken"));
    expect(status).toBe(500);
    expect(body).not.toContain("hunter2");
  });

  it("is not applied to preflight requests", async () => {
    const headers = { origin: "http://localhost", "access-control-request-method": "POST" };
    const open = await serveHttp(workshop.server, { port: 0, cors: "check", authenticate: () => unauthorized() });
    expect((await send(open.url, { method: "OPTIONS", headers })).status).toBe(204);
    expect((await postModern(open.url, whoami, { origin: "http://localhost" })).headers).toMatchObject({
      "access-control-allow-origin": "http://localhost",
      "www-authenticate": "Bearer",
    });
    await open.close();
  });
});

describe("a session", () => {
  it("is unknown to everyone except its owner", async () => {
    const session = await openSession(url, undefined, as("ada"));
    const mallory = { ...session, ...as("mallory") };
    const nobody = { ...session, ...as("anyone") };
    const detach = legacy("tools/call", { name: "detach", arguments: {} });
    await (await openEvents(url, { headers: session, message: detach })).ended;
    for (const headers of [mallory, nobody]) {
      expect((await post(url, legacy("ping"), headers)).status).toBe(404);
      expect((await send(url, { headers })).status).toBe(404);
      expect((await send(url, { headers: { ...headers, "last-event-id": "1-0" } })).status).toBe(404);
      expect((await send(url, { method: "DELETE", headers })).status).toBe(404);
    }
    expect((await post(url, legacy("ping"), session)).status).toBe(200);
  });

  it("has an id that never appears in full in a log", async () => {
    const logged: unknown[] = [];
    const fail = defineTool({
      name: "fail",
      handle(_input, ctx) {
        throw new Error("no database", { cause: ctx.session });
      },
    });
    const server = defineServer({ name: "s", version: "1", tools: [fail], log: (entry) => logged.push(entry) });
    const failing = await serveHttp(server, { port: 0, log: (entry) => logged.push(entry) });
    const ids: string[] = [];
    for (let round = 0; round < 20; round++) {
      const session = await openSession(failing.url);
      ids.push(String(session["mcp-session-id"]));
      await post(failing.url, legacy("tools/call", { name: "fail", arguments: {} }), session);
      await post(failing.url, "{", session);
      await send(failing.url, { headers: { ...session, "last-event-id": "9-9" } });
      await send(failing.url, { method: "DELETE", headers: session });
      expect((await post(failing.url, legacy("ping"), session)).status).toBe(404);
    }
    await failing.close();
    expect(logged.length).toBeGreaterThan(ids.length);
    const text = `${JSON.stringify(logged)} ${inspect(logged, { depth: 10, maxArrayLength: null })}`;
    expect(text.includes("no database")).toBe(true);
    expect(ids.filter((id) => text.includes(id))).toEqual([]);
  });
});

describe("the sessions and states of one user", () => {
  it("cannot be found by another one who has its id or state", async () => {
    const ask = modern("tools/call", { name: "ask", arguments: {} }, { elicitation: { form: {} } });
    const { requestState } = (await postModern(url, ask, as("ada"))).json.result;
    const answer = { action: "accept", content: { name: "Ada" } };
    const resume = (state: unknown, who: string) => {
      const inputResponses = { question_1: answer };
      const params = { ...ask.params, requestState: state, inputResponses };
      return postModern(url, { ...ask, params }, as(who));
    };
    const unknown = await resume("x".repeat(40), "mallory");
    for (const who of ["mallory", "anyone"]) {
      const { status, json } = await resume(requestState, who);
      // The same answer as for a state that nobody has.
      expect({ status, json }).toEqual({ status: unknown.status, json: unknown.json });
      expect(json.error.code).toBe(-32602);
    }
    const session = await openSession(url, undefined, as("ada"), { elicitation: {} });
    const mallory = { ...session, ...as("mallory") };
    const events = await openEvents(url, { headers: session, message: legacy("tools/call", { name: "ask" }, 7) });
    const { id } = await events.message(({ method }) => method === "elicitation/create");
    const foreign = [
      { jsonrpc: "2.0", id, result: { action: "accept", content: { name: "Mallory" } } },
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } },
      legacy("tools/call", { name: "count", arguments: {} }),
      legacy("tools/list"),
    ];
    for (const message of foreign) expect((await post(url, message, mallory)).status).toBe(404);
    await post(url, { jsonrpc: "2.0", id, result: answer }, session);
    expect(await events.message((message) => message.id === 7)).toMatchObject({
      result: { content: [{ text: "Hello, Ada!" }] },
    });
  });

  it("is filtered before a list is cut into pages", async () => {
    const rows = Array.from({ length: 90 }, (_, at) => ({ id: at + 100, owner: at % 3 === 0 ? "ada" : "bob" }));
    const notes = defineResource({
      uri: "note://{id}",
      name: "note",
      list: (_request, ctx) =>
        rows.filter(({ owner }) => owner === ctx.principal?.id).map(({ id }) => ({ uri: `note://${id}` })),
      read: ({ id }) => id,
    });
    const server = defineServer({ name: "notes", version: "1", pageSize: 10, resources: [notes], log: () => {} });
    const shared = await serveHttp(server, {
      port: 0,
      authenticate: (request) => ({ id: request.header("authorization")?.split(" ")[1] ?? "" }),
    });
    const page = async (who: string, cursor?: string) =>
      (await postModern(shared.url, modern("resources/list", cursor === undefined ? {} : { cursor }), as(who))).json;
    for (const who of ["ada", "bob"]) {
      const own = rows.filter(({ owner }) => owner === who).map(({ id }) => `note://${id}`);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const { result } = await page(who, cursor);
        const uris = result.resources.map(({ uri }: { uri: string }) => uri);
        // A page that were filtered afterwards would have gaps, which show how many rows others have.
        expect(uris).toEqual(own.slice(seen.length, seen.length + 10));
        seen.push(...uris);
        cursor = result.nextCursor;
        if (cursor !== undefined) expect((await page("mallory", cursor)).error.code).toBe(-32602);
      } while (cursor !== undefined);
      expect(seen).toEqual(own);
    }
    expect((await page("mallory")).result.resources).toEqual([]);
    await shared.close();
  });
});

describe("the log", () => {
  it("has an entry for each request with its method, principal and status", async () => {
    await postModern(url, whoami, as("ada"));
    await postModern(url, modern("no/such"), as("ada"));
    await send(url, { method: "PUT" });
    expect(entries).toEqual([
      {
        method: "POST",
        path: "/mcp",
        status: 200,
        milliseconds: expect.any(Number),
        rpc: "tools/call",
        name: "whoami",
        principal: "ada",
      },
      {
        method: "POST",
        path: "/mcp",
        status: 404,
        milliseconds: expect.any(Number),
        rpc: "no/such",
        code: -32601,
        principal: "ada",
      },
      { method: "PUT", path: "/mcp", status: 401, milliseconds: expect.any(Number), code: -32600 },
    ]);
  });

  it("has an entry for a client that disconnected", async () => {
    const message = modern("subscriptions/listen", { notifications: {} });
    const events = await openEvents(url, { headers: { ...modernHeaders(message), ...as("ada") }, message });
    events.close();
    await expect.poll(() => entries.map(({ status }) => status)).toEqual([499]);
  });
});
