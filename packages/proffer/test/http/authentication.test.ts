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

  it("T054: rejects with a challenge that escapes its parameters", async () => {
    for (const route of service.routes) {
      for (const method of ["POST", "GET", "DELETE"]) {
        const { status, headers } = await send(`http://127.0.0.1:${service.port}${route}`, { method });
        expect({ route, status }).toEqual({ route, status: 401 });
        expect(headers["www-authenticate"]).toBe(
          'Bearer resource_metadata="https://example.com/x", scope="a\\"bevil: 1"',
        );
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
  it("T080: is unknown to everyone except its owner", async () => {
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

  it("T082: has an unguessable id that is never logged", async () => {
    const ids = new Set<string>();
    for (let round = 0; round < 20; round++) {
      const opened = await Promise.all(Array.from({ length: 50 }, () => openSession(url, undefined, as("ada"))));
      for (const session of opened) ids.add(String(session["mcp-session-id"]));
    }
    expect(ids.size).toBe(1000);
    const places = Array.from({ length: 24 }, (_, at) => new Set([...ids].map((id) => id[at])).size);
    // Each of the 24 characters has nearly all of its 64 values.
    expect(Math.min(...places)).toBeGreaterThan(50);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{24}$/);
    const log = JSON.stringify(entries);
    expect([...ids].filter((id) => log.includes(id))).toEqual([]);
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
