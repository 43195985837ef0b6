import { type HttpService, serveHttp } from "proffer/http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEvents } from "./event-client.ts";
import { type Headers, LEGACY, legacy, openSession, post, send } from "./http-client.ts";
import { openWorkshop, type Workshop } from "./workshop.ts";

let workshop: Workshop;
let service: HttpService;
let url: string;

beforeEach(async () => {
  workshop = openWorkshop();
  service = await serveHttp(workshop.server, { port: 0 });
  url = service.url;
});

afterEach(async () => {
  workshop.release();
  await service.close();
});

const call = (name: string, given: object = {}, id: unknown = 1, _meta?: object) =>
  legacy("tools/call", { name, arguments: given, ...(_meta ? { _meta } : {}) }, id);
const begun = (name: string) => expect.poll(() => workshop.begun.get(name) ?? 0).toBeGreaterThan(0);

describe("a session of an older revision", () => {
  it.each(["2025-03-26", "2025-06-18", "2025-11-25"])("is opened by initialize with %s", async (version) => {
    const session = await openSession(url, version);
    expect(session["mcp-session-id"]).toMatch(/^[\x21-\x7e]{22,}$/);
    const { status, json } = await post(url, call("echo", { message: "hi" }), session);
    expect({ status, text: json.result.content[0].text }).toEqual({ status: 200, text: "hi" });
    expect(json.result.resultType).toBeUndefined();
  });

  it("keeps its values separate from other sessions", async () => {
    const [one, two] = [await openSession(url), await openSession(url)];
    const count = async (session: Headers) => (await post(url, call("count"), session)).json.result.content[0].text;
    expect([await count(one), await count(one), await count(two)]).toEqual(["1", "2", "1"]);
  });

  it("answers 400 without its id, 404 for an unknown id, and 400 for an unknown version", async () => {
    const session = await openSession(url);
    const statuses = async (headers: Headers) => (await post(url, call("echo", { message: "" }), headers)).status;
    expect(await statuses({})).toBe(400);
    expect(await statuses({ "mcp-session-id": "nobody" })).toBe(404);
    expect(await statuses({ "mcp-session-id": "__proto__" })).toBe(404);
    expect(await statuses({ ...session, "mcp-protocol-version": "1999-01-01" })).toBe(400);
    expect(await statuses({ ...session, "mcp-protocol-version": undefined })).toBe(200);
  });

  it("ends with DELETE, and is unknown afterwards", async () => {
    const session = await openSession(url);
    expect((await send(url, { method: "DELETE", headers: session })).status).toBe(204);
    expect((await send(url, { method: "DELETE", headers: session })).status).toBe(404);
    expect((await post(url, call("count"), session)).status).toBe(404);
    expect((await send(url, { method: "GET", headers: session })).status).toBe(404);
  });

  it("is not opened for a revision without a handshake", async () => {
    const naive = legacy("initialize", { protocolVersion: "2026-07-28", capabilities: {} });
    expect((await post(url, naive)).json.result.protocolVersion).toBe("2025-11-25");
    const { status, json } = await post(url, naive, { "mcp-protocol-version": "2026-07-28" });
    expect({ status, code: json.error.code }).toEqual({ status: 400, code: -32020 });
  });

  it("is not opened twice, nor with invalid parameters", async () => {
    const session = await openSession(url);
    const again = legacy("initialize", { protocolVersion: LEGACY, capabilities: {} });
    expect((await post(url, again, session)).status).toBe(400);
    const { json, headers } = await post(url, legacy("initialize", {}));
    expect(json.error.code).toBe(-32602);
    expect(headers["mcp-session-id"]).toBeUndefined();
  });

  it("ends after the idle timeout", async () => {
    const short = await serveHttp(workshop.server, { port: 0, sessions: { idleTimeout: 20 } });
    const session = await openSession(short.url);
    await expect
      .poll(
        async () => {
          await new Promise((resolve) => setTimeout(resolve, 50));
          return (await post(short.url, legacy("ping"), session)).status;
        },
        { timeout: 600_000 },
      )
      .toBe(404);
    await short.close();
  });

  it("cancels only its own calls by notification", async () => {
    const [one, two] = [await openSession(url), await openSession(url)];
    const cancelled = post(url, call("wait", {}, 5), one);
    const other = post(url, call("wait", {}, 5), two);
    await expect.poll(() => workshop.begun.get("wait")).toBe(2);
    const note = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } };
    expect((await post(url, note, one)).status).toBe(202);
    expect(await cancelled).toMatchObject({ status: 202, body: "" });
    workshop.release();
    expect((await other).json.result.content[0].text).toBe("done");
  });

  it.each([{}, { result: "yes" }, { result: {}, error: {} }])(
    "cancels a question on an invalid response: %o",
    async (nonsense) => {
      const session = await openSession(url, LEGACY, {}, { elicitation: {} });
      const events = await openEvents(url, { headers: session, message: call("ask") });
      const { id } = await events.message(({ method }) => method === "elicitation/create");
      expect((await post(url, { jsonrpc: "2.0", id, ...nonsense }, session)).status).toBe(400);
      const answer = await events.message((message) => message.id === 1);
      // The handler sees an invalid response as "cancel".
      expect(answer.result.content[0].text).toBe("cancel");
    },
  );

  it("asks on the stream of the request, and accepts the response in another request", async () => {
    const session = await openSession(url, LEGACY, {}, { elicitation: {} });
    const events = await openEvents(url, { headers: session, message: call("ask") });
    const asked = await events.message(({ method }) => method === "elicitation/create");
    const response = { jsonrpc: "2.0", id: asked.id, result: { action: "accept", content: { name: "Ada" } } };
    const foreign = await openSession(url);
    expect((await post(url, response, foreign)).status).toBe(202);
    expect((await post(url, response, session)).status).toBe(202);
    const { result } = await events.message(({ id }) => id === 1);
    expect(result.content[0].text).toBe("Hello, Ada!");
    await events.ended;
  });

  it("does not cancel a call when its connection is lost", async () => {
    const session = await openSession(url);
    const message = call("tell", {}, 1, { progressToken: 1 });
    const events = await openEvents(url, { headers: session, message });
    await events.message(({ method }) => method === "notifications/progress");
    const { id } = events.events.at(-1) as { id: string };
    events.close();
    workshop.release();
    const resumed = await openEvents(url, { headers: { ...session, "last-event-id": id } });
    const { result } = await resumed.message((each) => each.id === 1);
    expect(result.content[0].text).toBe("told");
    await resumed.ended;
  });
});

describe("the stream of a session", () => {
  it("carries list changes and subscribed updates", async () => {
    const session = await openSession(url);
    const events = await openEvents(url, { headers: session });
    await post(url, legacy("resources/subscribe", { uri: "shop://live" }), session);
    workshop.server.tools.remove("echo");
    workshop.server.notify("shop://live");
    workshop.server.notify("shop://fixed");
    await events.message(({ method }) => method === "notifications/tools/list_changed");
    const { params } = await events.message(({ method }) => method === "notifications/resources/updated");
    expect(params).toEqual({ uri: "shop://live" });
  });

  it("is unique: a second one is rejected, and the first continues", async () => {
    const session = await openSession(url);
    const events = await openEvents(url, { headers: session });
    expect((await send(url, { headers: session })).status).toBe(409);
    workshop.server.tools.remove("echo");
    await events.message(({ method }) => method === "notifications/tools/list_changed");
  });

  it("begins with an id and a retry time on 2025-11-25, but not on older revisions", async () => {
    const newer = await openEvents(url, { headers: await openSession(url) });
    await expect.poll(() => newer.events.length).toBe(1);
    expect(newer.events[0]).toEqual({ id: "0-0", retry: "1000", data: "" });
    const older = await openEvents(url, { headers: await openSession(url, "2025-06-18") });
    workshop.server.tools.remove("echo");
    await older.message(() => true);
    expect(older.events[0]).toMatchObject({ id: "0-1", event: "message" });
  });

  it("resumes where the client lost it", async () => {
    const session = await openSession(url);
    const first = await openEvents(url, { headers: session });
    workshop.server.tools.remove("echo");
    await first.message(() => true);
    const { id } = first.events.at(-1) as { id: string };
    first.close();
    await first.ended;
    workshop.server.tools.remove("wait");
    await expect
      .poll(
        async () => {
          const resumed = await openEvents(url, { headers: { ...session, "last-event-id": id } });
          const event = await Promise.race([resumed.message(() => true).then(() => resumed.events[0]), resumed.ended]);
          resumed.close();
          return event?.id;
        },
        { timeout: 600_000 },
      )
      .toBe("0-2");
  });

  it("requires an Accept header that allows it", async () => {
    const session = await openSession(url);
    expect((await send(url, { headers: { ...session, accept: "application/json" } })).status).toBe(406);
  });
});

describe("resuming with Last-Event-ID", () => {
  it("delivers the response of a detached call", async () => {
    const session = await openSession(url);
    const events = await openEvents(url, { headers: session, message: call("detach", {}, 9) });
    await events.ended;
    expect(events.events).toEqual([{ id: "1-0", retry: "1000", data: "" }]);
    const resumed = await openEvents(url, { headers: { ...session, "last-event-id": "1-0" } });
    workshop.release();
    expect((await resumed.message(({ id }) => id === 9)).result.content[0].text).toBe("after all");
    await resumed.ended;
    const again = await openEvents(url, { headers: { ...session, "last-event-id": "1-0" } });
    await again.ended;
    expect(again.messages.map(({ id }) => id)).toEqual([9]);
  });

  it("returns an error or nothing for a hostile id, and never the events of another session", async () => {
    const session = await openSession(url);
    const owner = await openSession(url);
    const events = await openEvents(url, { headers: owner, message: call("detach", {}, "secret") });
    await events.ended;
    workshop.release();
    const ids = [
      "1-0",
      "1-1",
      "2-0",
      "-1-0",
      "0--1",
      "1-999999999",
      "9999999999-0",
      "__proto__",
      "x".repeat(8000),
      "",
      "1-0 ",
    ];
    for (const id of ids) {
      const { status, body } = await send(url, { headers: { ...session, "last-event-id": id } });
      expect({ id, status }).toEqual({ id, status: 400 });
      expect(body).not.toContain("secret");
    }
    const past = await openEvents(url, { headers: { ...session, "last-event-id": "0-999" } });
    past.close();
    expect(past.events).toEqual([]);
  });
});

describe("batches", () => {
  const batch = [call("echo", { message: "a" }, 1), legacy("ping", undefined, 2), legacy("no/such", undefined, 3)];

  it("are answered together on 2025-03-26", async () => {
    const session = await openSession(url, "2025-03-26");
    const note = { jsonrpc: "2.0", method: "notifications/initialized" };
    const { status, json } = await post(url, [...batch, note], session);
    expect(status).toBe(200);
    expect(json.map((each: { id: number }) => each.id).sort()).toEqual([1, 2, 3]);
    expect((await post(url, [note], session)).status).toBe(202);
  });

  it("are rejected if they are empty, too long, or contain initialize", async () => {
    const session = await openSession(url, "2025-03-26");
    const many = Array.from({ length: 101 }, (_, id) => legacy("ping", undefined, id));
    for (const body of [[], many, [legacy("initialize", {})]]) {
      const { status, json } = await post(url, body, session);
      expect({ status, code: json.error.code }).toEqual({ status: 400, code: -32600 });
    }
  });

  it("are rejected on every other revision", async () => {
    const { status, json } = await post(url, batch, await openSession(url, "2025-06-18"));
    expect({ status, code: json.error.code }).toEqual({ status: 400, code: -32600 });
  });

  it("end their HTTP request when all their calls are cancelled", async () => {
    const session = await openSession(url, "2025-03-26");
    const answer = post(url, [call("wait", {}, 1), call("wait", {}, 2)], session);
    await expect.poll(() => workshop.begun.get("wait")).toBe(2);
    for (const requestId of [1, 2]) {
      await post(url, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }, session);
    }
    expect((await answer).status).toBe(202);
  });
});

describe("a server without sessions", () => {
  let stateless: HttpService;

  beforeEach(async () => {
    stateless = await serveHttp(workshop.server, { port: 0, sessions: false });
  });

  afterEach(() => stateless.close());

  it("serves each request separately, in the revision of its header", async () => {
    const { headers, json } = await post(stateless.url, legacy("initialize", { protocolVersion: LEGACY }));
    expect(headers["mcp-session-id"]).toBeUndefined();
    expect(json.result.capabilities).toMatchObject({ tools: {}, resources: {} });
    expect(JSON.stringify(json.result.capabilities)).not.toMatch(/listChanged|subscribe/);
    const echo = call("echo", { message: "hi" });
    expect((await post(stateless.url, echo, { "mcp-protocol-version": LEGACY })).json.result.content[0].text).toBe(
      "hi",
    );
    expect((await post(stateless.url, echo)).status).toBe(200);
    expect((await post(stateless.url, [echo])).json).toHaveLength(1);
    expect((await post(stateless.url, [echo], { "mcp-protocol-version": LEGACY })).status).toBe(400);
  });

  it("rejects streams, DELETE, responses and questions", async () => {
    for (const method of ["GET", "DELETE"]) expect((await send(stateless.url, { method })).status).toBe(405);
    expect((await post(stateless.url, { jsonrpc: "2.0", id: 1, result: {} })).status).toBe(400);
    const { json } = await post(stateless.url, call("ask"));
    expect(json.result.isError).toBe(true);
    const note = { jsonrpc: "2.0", method: "notifications/initialized" };
    expect((await post(stateless.url, note)).status).toBe(202);
  });

  it("streams the notifications of a call before its response", async () => {
    const message = call("tell", {}, 1, { progressToken: 1 });
    const events = await openEvents(stateless.url, { message });
    await events.message(({ method }) => method === "notifications/progress");
    workshop.release();
    await events.ended;
    expect(events.messages.at(-1).result.content[0].text).toBe("told");
    await begun("tell");
  });
});
