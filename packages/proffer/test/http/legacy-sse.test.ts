import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { type HttpService, serveHttp, unauthorized } from "proffer/http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type EventClient, openEvents } from "./event-client.ts";
import { legacy, post, send } from "./http-client.ts";
import { openWorkshop, type Workshop } from "./workshop.ts";

let workshop: Workshop;
let service: HttpService;

beforeEach(async () => {
  workshop = openWorkshop();
  service = await serveHttp(workshop.server, { port: 0, legacySse: true, maxMessageBytes: 1000 });
});

afterEach(async () => {
  workshop.release();
  await service.close();
});

async function openPair(headers = {}): Promise<{ events: EventClient; messages: string }> {
  const events = await openEvents(`${service.url}/sse`, { headers });
  await expect.poll(() => events.events.length).toBe(1);
  const { event, data } = events.events[0] as { event?: string; data: string };
  expect(event).toBe("endpoint");
  return { events, messages: new URL(data, `${service.url}/sse`).href };
}

describe("the transport of 2024-11-05", () => {
  it("serves the official client", async () => {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new SSEClientTransport(new URL(`${service.url}/sse`)));
    const { content } = await client.callTool({ name: "echo", arguments: { message: "hi" } });
    expect(content).toEqual([{ type: "text", text: "hi" }]);
    await client.close();
  });

  it("is off by default", async () => {
    const plain = await serveHttp(workshop.server, { port: 0 });
    expect((await send(`${plain.url}/sse`, { headers: { accept: "text/event-stream" } })).status).toBe(404);
    expect(plain.routes).toEqual(["/mcp"]);
    await plain.close();
  });

  it("answers posted messages on the stream, and ends its calls with the stream", async () => {
    const { events, messages } = await openPair();
    const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    expect((await post(messages, legacy("initialize", params))).status).toBe(202);
    expect((await events.message(({ id }) => id === 1)).result.protocolVersion).toBe("2024-11-05");
    await post(messages, legacy("tools/call", { name: "wait", arguments: {} }, 2));
    await expect.poll(() => workshop.begun.get("wait")).toBe(1);
    events.close();
    await workshop.stopped;
    await expect.poll(async () => (await post(messages, legacy("ping"))).status).toBe(404);
  });

  it("rejects a body that is too large, a body that is not JSON, and an unknown session", async () => {
    const { messages } = await openPair();
    expect((await post(messages, "x".repeat(1001))).status).toBe(413);
    expect((await post(messages, "{}", { "content-type": "text/plain" })).status).toBe(415);
    expect((await post(`${service.url}/messages?session=x`, legacy("ping"))).status).toBe(404);
    expect((await post(`${service.url}/messages`, legacy("ping"))).status).toBe(404);
    expect(
      (await send(`${service.url}/sse`, { method: "POST", headers: { "content-type": "application/json" } })).status,
    ).toBe(405);
    expect((await send(messages)).status).toBe(405);
  });

  it("rejects messages from anyone except the owner of the stream", async () => {
    await service.close();
    service = await serveHttp(workshop.server, {
      port: 0,
      legacySse: true,
      authenticate: (request) => ({ id: request.header("x-user") ?? "" }),
    });
    const { messages } = await openPair({ "x-user": "ada" });
    expect((await post(messages, legacy("ping"), { "x-user": "mallory" })).status).toBe(404);
    expect((await post(messages, legacy("ping"), { "x-user": "ada" })).status).toBe(202);
  });

  it("is rejected if authenticate rejects", async () => {
    await service.close();
    service = await serveHttp(workshop.server, { port: 0, legacySse: true, authenticate: () => unauthorized() });
    expect((await send(`${service.url}/sse`)).status).toBe(401);
  });
});
