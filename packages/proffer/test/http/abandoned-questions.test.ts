import { defineServer, defineTool, field, type Server } from "proffer";
import { type HttpService, type ServeOptions, serveHttp } from "proffer/http";
import { afterEach, describe, expect, it } from "vitest";
import { type EventClient, openEvents } from "./event-client.ts";
import { type Headers, legacy, openSession, post } from "./http-client.ts";

const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };
/** A limit that no test reaches. */
const NEVER = 1_000_000;

/** The tools that ask, by the method of their question. */
const ASKING = { "elicitation/create": "ask", "sampling/createMessage": "sample", "roots/list": "roots" } as const;

let service: HttpService;

afterEach(() => service.close(0));

async function serve(options: ServeOptions, server = createServer()): Promise<string> {
  service = await serveHttp(server, { port: 0, ...options });
  return service.url;
}

function createServer(limits: { questionTimeout?: number } = {}): Server {
  return defineServer({
    name: "asking",
    version: "1",
    log: () => {},
    limits,
    tools: [
      defineTool({ name: "ask", handle: async (_, ctx) => (await ctx.ask("Name?", { name: field.text() })).action }),
      defineTool({
        name: "sample",
        handle: async (_, ctx) => (await ctx.sample({ messages: [], maxTokens: 1 })).model,
      }),
      defineTool({ name: "roots", handle: async (_, ctx) => String((await ctx.roots()).length) }),
    ],
  });
}

/** Calls a tool and waits for its question; returns the stream that carried it, and the question. */
async function askOn(url: string, headers: Headers, method: keyof typeof ASKING, id: unknown = 1) {
  const call = legacy("tools/call", { name: ASKING[method], arguments: {} }, id);
  const events = await openEvents(url, { headers, message: call });
  const question = await events.message((message) => message.method === method);
  return { events, question };
}

const ping = async (url: string, session: Headers) => (await post(url, legacy("ping"), session)).status;
const cancelled = (events: EventClient) => events.message(({ method }) => method === "notifications/cancelled");

describe("a client that closes each connection once it was asked", () => {
  it.each(Object.keys(ASKING) as (keyof typeof ASKING)[])("does not block the others: %s", async (method) => {
    const url = await serve({ maxInFlight: 20, maxInFlightPerClient: 20, sessions: { reconnectTimeout: 20 } });
    const session = await openSession(url, "2025-06-18", {}, CAPABILITIES);
    for (let id = 0; id < 20; id++) (await askOn(url, session, method, id)).events.close();
    await expect.poll(() => openSession(url).catch(() => undefined)).toBeDefined();
  });

  it("also if they were asked in a batch", async () => {
    const url = await serve({ maxInFlight: 2, sessions: { reconnectTimeout: 20 } });
    const session = await openSession(url, "2025-03-26", {}, CAPABILITIES);
    const ids = ["a", "b"];
    const message = ids.map((id) => legacy("tools/call", { name: "roots", arguments: {} }, id));
    const events = await openEvents(url, { headers: session, message });
    await expect.poll(() => events.messages.filter(({ method }) => method === "roots/list")).toHaveLength(2);
    expect(await ping(url, session)).toBe(503);
    events.close();
    await expect.poll(() => ping(url, session)).toBe(200);
  });

  it("has until the end of the grace time to reconnect and answer", async () => {
    const url = await serve({ sessions: { reconnectTimeout: NEVER } });
    const session = await openSession(url, "2025-11-25", {}, CAPABILITIES);
    const { events, question } = await askOn(url, session, "elicitation/create");
    events.close();
    const lastEventId = events.events.at(-1)?.id;
    const resumed = await openEvents(url, { headers: { ...session, "last-event-id": lastEventId } });
    await post(url, { jsonrpc: "2.0", id: question.id, result: { action: "decline" } }, session);
    expect((await resumed.message(({ id }) => id === 1)).result.content[0].text).toBe("decline");
  });

  it("may answer while it listens to its session, and loses the call when it no longer does", async () => {
    const url = await serve({ maxInFlight: 1, sessions: { reconnectTimeout: 20 } });
    const session = await openSession(url, "2025-06-18", {}, CAPABILITIES);
    const listening = await openEvents(url, { headers: session });
    const { events } = await askOn(url, session, "elicitation/create");
    events.close();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await ping(url, session)).toBe(503);
    listening.close();
    await expect.poll(() => ping(url, session)).toBe(200);
  });
});

describe("a question that nobody answers", () => {
  it.each(Object.keys(ASKING) as (keyof typeof ASKING)[])("ends with an error after its limit: %s", async (method) => {
    const url = await serve({}, createServer({ questionTimeout: 20 }));
    const session = await openSession(url, "2025-06-18", {}, CAPABILITIES);
    const { events, question } = await askOn(url, session, method);
    expect((await cancelled(events)).params).toEqual({ requestId: question.id });
    const { result } = await events.message(({ id }) => id === 1);
    expect(result).toEqual({ isError: true, content: [{ type: "text", text: "Nobody answered within 0.02 s." }] });
    await events.ended;
  });

  it("ends with an error over the SSE pair", async () => {
    const url = await serve({ legacySse: true }, createServer({ questionTimeout: 20 }));
    const { events, messages } = await openPair(url);
    await post(messages, legacy("tools/call", { name: "roots", arguments: {} }, 7));
    const { result } = await events.message(({ id }) => id === 7);
    expect(result).toMatchObject({ isError: true, content: [{ text: "Nobody answered within 0.02 s." }] });
  });

  it("ends with the stream over the SSE pair", async () => {
    const url = await serve({ legacySse: true, maxInFlight: 1 });
    const { events, messages } = await openPair(url);
    await post(messages, legacy("tools/call", { name: "roots", arguments: {} }, 7));
    await events.message(({ method }) => method === "roots/list");
    events.close();
    await expect.poll(() => openSession(url).catch(() => undefined)).toBeDefined();
  });

  it("does not keep its answer from being accepted over the SSE pair when the server is busy", async () => {
    const url = await serve({ legacySse: true, maxInFlight: 1 });
    const { events, messages } = await openPair(url);
    await post(messages, legacy("tools/call", { name: "roots", arguments: {} }, 7));
    const { id } = await events.message(({ method }) => method === "roots/list");
    await post(messages, legacy("ping", {}, 8));
    expect((await events.message((message) => message.id === 8)).error.code).toBe(-31000);
    await post(messages, { jsonrpc: "2.0", id, result: { roots: [] } });
    expect((await events.message((message) => message.id === 7)).result.content[0].text).toBe("0");
  });

  it("does not keep its session from ending", async () => {
    const url = await serve({ sessions: { idleTimeout: 50, reconnectTimeout: NEVER } });
    const session = await openSession(url, "2025-06-18", {}, CAPABILITIES);
    const { events } = await askOn(url, session, "elicitation/create");
    await events.ended;
    expect(await ping(url, session)).toBe(404);
  });

  it("gives way to a new session when all are in use", async () => {
    const url = await serve({ sessions: { max: 1 } });
    const session = await openSession(url, "2025-06-18", {}, CAPABILITIES);
    await askOn(url, session, "elicitation/create");
    await openSession(url, "2025-06-18");
    expect(await ping(url, session)).toBe(404);
  });
});

/** Opens the SSE pair and a session on it. */
async function openPair(url: string, headers: Headers = {}): Promise<{ events: EventClient; messages: string }> {
  const events = await openEvents(`${url}/sse`, { headers });
  await expect.poll(() => events.events.length).toBe(1);
  const messages = new URL(events.events[0]?.data ?? "", `${url}/sse`).href;
  const params = { protocolVersion: "2024-11-05", capabilities: CAPABILITIES, clientInfo: { name: "t", version: "1" } };
  await post(messages, legacy("initialize", params, 0), headers);
  await events.message(({ id }) => id === 0);
  return { events, messages };
}
